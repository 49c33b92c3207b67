// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Scheme;
import io.safebunny.proof.watchdog.browser.Browser.Stop;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.site.OtherSite;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

    private @Nullable OtherSite site;

    @AfterEach
    void close() {
        if (site != null) {
            site.close();
        }
    }

    private void open(Browser browser, String head, String body) {
        OtherSite opened = OtherSite.with(head, body);
        site = opened;
        browser.open(opened.address());
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

    /** It may say more with each version. */
    @Test
    void whatTheBrowserSaysOfItselfIsNone(Browser browser) {
        open(browser, "", "<script>new XMLHttpRequest().open('GET', '/', false)</script>"); // is deprecated

        assertThat(browser.complaints()).isEmpty();
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
