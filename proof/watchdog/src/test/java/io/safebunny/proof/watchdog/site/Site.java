// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import io.safebunny.proof.watchdog.browser.Browser;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/** A {@link Shop} on a server of its own. The caller must close it. */
public final class Site implements AutoCloseable {

    public static final String USER = "operator";

    private static final String PASSWORD = "correct horse";
    private static final String LOGIN = "Please sign in";

    private final Variant variant;
    private final ConfigurableApplicationContext context;
    private final @Nullable StrippingProxy proxy;

    private Site(Variant variant, ConfigurableApplicationContext context) {
        this.variant = variant;
        this.context = context;
        this.proxy = variant == Variant.PROXY ? StrippingProxy.before(server()) : null;
    }

    /** On a broker in memory, unless the properties say otherwise. */
    public static Site start(Variant variant, String... properties) {
        return new Site(
                variant,
                new SpringApplicationBuilder(Shop.class)
                        .web(variant.type())
                        .bannerMode(Banner.Mode.OFF)
                        .logStartupInfo(false)
                        .registerShutdownHook(false)
                        .properties(
                                "server.port=0",
                                "server.address=127.0.0.1",
                                "management.endpoints.web.exposure.include=*",
                                "spring.security.user.name=" + USER,
                                "spring.security.user.password=" + PASSWORD,
                                "safebunny.node=shop",
                                "safebunny.transport=memory",
                                "safebunny.scheduling.enabled=true",
                                "safebunny.retry.max-retries=0",
                                "safebunny.delayed-retry.delays=")
                        .run(variant.arguments(properties)));
    }

    private URI server() {
        Environment environment = context.getEnvironment();
        return URI.create("http://127.0.0.1:"
                + environment.getProperty(
                        "local.management.port", environment.getRequiredProperty("local.server.port")));
    }

    /** The address of the page, without a fragment. */
    public URI address() {
        StrippingProxy before = proxy;
        return URI.create((before == null ? server() : before.root()) + variant.path());
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Opens the page at the fragment, and logs in if it must. */
    public void open(Browser browser, String fragment) {
        URI place = URI.create(address() + fragment);
        browser.open(place);
        if (variant.isSecured() && browser.text().contains(LOGIN)) {
            signIn(browser);
            browser.open(place);
        }
    }

    /** Where the browser is asked who is there, answers. */
    public void signIn(Browser browser) {
        browser.fill("Username", USER);
        browser.fill("Password", PASSWORD);
        browser.complaints(); // they are about a page that is not ours
        browser.click("Sign in");
        browser.hides(LOGIN);
    }

    /** Has the server forget who is logged in, as it does after a while: the browser's cookie is of a session that is gone. */
    public void expire(Browser browser) {
        for (String session : List.of("JSESSIONID", "SESSION")) {
            if (browser.cookies().contains(session)) {
                browser.setCookie(session, "gone");
            }
        }
    }

    /** Requests that have left the prefix of the proxy; none without one. */
    public List<String> strays() {
        StrippingProxy before = proxy;
        return before == null ? List.of() : before.strays();
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.close();
        }
        context.close();
    }
}
