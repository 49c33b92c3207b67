// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.diagnosis;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Explains why one of SafeBunny's beans is missing when SafeBunny is switched off; Boot would advise defining it. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DisabledFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

    private final Environment environment;

    DisabledFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, @Nullable String description) {
        Class<?> type = cause.getResolvableType() == null
                ? null
                : cause.getResolvableType().resolve();
        if (type == null
                || !type.getName().startsWith("io.safebunny.")
                || environment.getProperty("safebunny.enabled", Boolean.class, true)) {
            return null;
        }
        return new FailureAnalysis(
                "SB-1312 SafeBunny is switched off [safebunny.enabled=false], so it has no bean of type %s: %s needs one."
                        .formatted(type.getName(), description == null ? "the application" : description),
                "Inject ObjectProvider<%s> and ask it with getIfAvailable(); annotate the bean that needs it with @ConditionalOnBooleanProperty(name = \"safebunny.enabled\", matchIfMissing = true); or remove safebunny.enabled=false."
                        .formatted(type.getSimpleName()),
                cause);
    }
}
