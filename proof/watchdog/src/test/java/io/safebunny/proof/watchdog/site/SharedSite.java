// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a {@link Site}, one for all of them, to which the {@link Incidents} have happened. Whoever changes one of these changes it
 * back; other orders are theirs.
 */
public final class SharedSite implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Site.class;
    }

    @Override
    public Site resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(SharedSite.class))
                .computeIfAbsent(Site.class, type -> start(), Site.class);
    }

    private static Site start() {
        Site site = Site.start(Variant.PLAIN);
        Incidents.happenAt(site, "a gift");
        return site;
    }
}
