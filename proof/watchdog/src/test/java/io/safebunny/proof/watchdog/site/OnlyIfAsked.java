// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.site;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Leaves out Spring Security, which would lock every site, unless the property {@code site.secured} asks for it. */
final class OnlyIfAsked implements AutoConfigurationImportFilter, EnvironmentAware {

    private boolean isAsked;

    @Override
    public void setEnvironment(Environment environment) {
        isAsked = environment.getProperty("site.secured", Boolean.class, false);
    }

    @Override
    public boolean[] match(@Nullable String[] autoConfigurations, AutoConfigurationMetadata metadata) {
        boolean[] isWanted = new boolean[autoConfigurations.length];
        for (int i = 0; i < isWanted.length; i++) {
            String name = autoConfigurations[i];
            isWanted[i] = isAsked || name == null || !name.startsWith("org.springframework.boot.security.");
        }
        return isWanted;
    }
}
