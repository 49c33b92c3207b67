// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.diagnosis;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** If one of SafeBunny's classes is missing, names its module: the build must have excluded a dependency of the starter. */
final class MissingModuleFailureAnalyzer extends AbstractFailureAnalyzer<NoClassDefFoundError> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoClassDefFoundError cause) {
        String missing = String.valueOf(cause.getMessage());
        if (!missing.startsWith("io/safebunny/")) {
            return null;
        }
        String module = missing.startsWith("io/safebunny/rabbit/") ? "safebunny-rabbit" : "safebunny-core";
        return new FailureAnalysis(
                "A module of SafeBunny is not on the class path: %s, with the class %s."
                        .formatted(module, missing.replace('/', '.')),
                "Add io.safebunny:%s, or remove its exclusion from io.safebunny:safebunny-spring-boot-starter, which brings it at run time."
                        .formatted(module),
                cause);
    }
}
