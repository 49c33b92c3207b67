// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Scheme;
import io.safebunny.proof.watchdog.browser.Browser.Stop;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The other tests would notice: each fault that they look for is found in a page that has it. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class BrowserIT {

    private static final String POLICY =
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:\">";

    private final HttpServer server = server();

    private static HttpServer server() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private void open(Browser browser, String head, String body) {
        byte[] page = """
                <!doctype html>
                <html lang="en"><head><title>A page</title><link rel="icon" href="data:,">%s</head><body><main><h1>A page</h1>%s</main></body></html>
                """.formatted(head, body).getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "text/html;charset=utf-8");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
        browser.open(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"));
    }

    @Test
    void aGoodPageHasNoFaults(Browser browser) {
        open(browser, POLICY, "<button>Pause</button>");

        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.barriers()).isEmpty();
        assertThat(browser.firstPaint()).isPositive();
    }

    @Test
    void aScriptThatThePolicyForbidsIsAComplaint(Browser browser) {
        open(browser, POLICY, "<script>document.title = 'not run'</script>");

        assertThat(browser.complaints()).singleElement().asString().contains("Content Security Policy");
        assertThat(browser.run(String.class, "return document.title")).isEqualTo("A page");
    }

    @Test
    void anErrorOfAScriptIsAComplaint(Browser browser) {
        open(browser, "", "<script>console.error('it failed'); missing()</script>");

        assertThat(browser.complaints()).hasSize(2).anyMatch(line -> line.contains("it failed"));
    }

    @Test
    void whatASightlessPersonCannotUseIsABarrier(Browser browser) {
        open(browser, "", "<input type=\"text\"><img src=\"data:,\"><p style=\"color:#ddd\">pale</p>");

        assertThat(browser.barriers())
                .anyMatch(fault -> fault.startsWith("label"))
                .anyMatch(fault -> fault.startsWith("image-alt"))
                .anyMatch(fault -> fault.startsWith("color-contrast"));
    }

    @Test
    void aFocusThatIsNotToBeSeenIsNoticed(Browser browser) {
        open(
                browser,
                "<style>.hidden:focus { outline: none }</style>",
                "<button>Pause</button><button class=\"hidden\">Resume</button>");

        assertThat(browser.tabTo("Resume")).isEqualTo(List.of(new Stop("Pause", true), new Stop("Resume", false)));
    }

    @Test
    void showsWhatIsSeenInTheDarkAndOnAPhone(Browser browser) {
        open(
                browser,
                "<meta name=\"viewport\" content=\"width=device-width\"><style>p { display: none }"
                        + "@media (prefers-color-scheme: dark) { .dark { display: block } }"
                        + "@media (max-width: 400px) { .small { display: block } }</style>",
                "<p class=\"dark\">It is dark.</p><p class=\"small\">It is small.</p>");
        browser.hides("It is dark.", "It is small.");

        browser.prefer(Scheme.DARK);
        browser.shows("It is dark.");
        browser.onAPhone();
        browser.shows("It is small.");
    }
}
