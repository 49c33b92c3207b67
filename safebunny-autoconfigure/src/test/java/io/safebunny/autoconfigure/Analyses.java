// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.mock.env.MockEnvironment;

/** What Boot makes of the failure of a start: the first analysis, of all analyzers on the class path. */
final class Analyses {

    private Analyses() {}

    /**
     * @param enabled the application's {@code safebunny.enabled}
     * @return with empty texts if no analyzer knows the failure
     */
    static FailureAnalysis of(@Nullable Throwable failure, boolean enabled) {
        Throwable present = Objects.requireNonNull(failure, "the application has started");
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(
                                Environment.class,
                                new MockEnvironment().withProperty("safebunny.enabled", String.valueOf(enabled))),
                        FailureHandler.handleMessage((text, error) -> {})); // those that need a bean factory
        return analyzers.stream()
                .map(analyzer -> analyzer.analyze(present))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(() -> new FailureAnalysis("", "", present));
    }
}
