// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Reports what is wrong and what to change, instead of a stack trace. Comes first, because Boot's own analysis of a failed
 * binding says less.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConfigurationException cause) {
        return new FailureAnalysis(cause.code() + " " + cause.problem(), cause.action(), cause);
    }
}
