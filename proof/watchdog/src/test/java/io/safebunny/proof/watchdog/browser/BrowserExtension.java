// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.browser;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the {@link Browser}, one for all of them, without anything that an earlier one has left in it. Where there is no Chromium, they
 * are skipped.
 */
public final class BrowserExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {

    /** As long as the browser waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Before anything else is started that nobody would look at. */
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(PATIENCE);
        browser(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        browser(context).forget();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Browser resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return browser(context);
    }

    private static Browser browser(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(BrowserExtension.class))
                .computeIfAbsent(Browser.class, type -> start(), Browser.class);
    }

    private static Browser start() {
        Chromium chromium = Chromium.installed()
                .orElseGet(
                        () -> Assumptions.abort(
                                "No browser to open the page in: chromium or chromedriver is not on the PATH. Install both, of one version."));
        return new Browser(chromium.start());
    }
}
