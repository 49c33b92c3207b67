// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.diagnosis;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.NotRunningException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.store.StoreUnavailableException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Reports what is wrong and what to change, instead of a stack trace. Ordered first, because Boot's own analysis of a failed binding says
 * less.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SafeBunnyFailureAnalyzer extends AbstractFailureAnalyzer<SafeBunnyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SafeBunnyException cause) {
        ConfigurationException configuration = findCause(rootFailure, ConfigurationException.class);
        if (configuration != null) {
            return new FailureAnalysis(
                    configuration.code() + " " + configuration.problem(), configuration.action(), configuration);
        }
        return new FailureAnalysis(cause.getMessage() + placeOf(cause), actionOf(cause), cause);
    }

    /** The line of the application's code that failed: shown because the analysis replaces the stack trace. */
    private static String placeOf(SafeBunnyException failure) {
        return Arrays.stream(failure.getStackTrace())
                .filter(frame -> Stream.of(
                                "io.safebunny.", "org.springframework.", "java.", "jdk.", "com.zaxxer.", "com.azure.")
                        .noneMatch(frame.getClassName()::startsWith))
                .findFirst()
                .map("%n%nIt was thrown to %s."::formatted)
                .orElse("");
    }

    private static String actionOf(SafeBunnyException failure) {
        if (failure instanceof NotRunningException) {
            return "Publish later: from an ApplicationRunner, or from a listener of ApplicationReadyEvent.";
        }
        if (failure instanceof StoreUnavailableException) {
            return "Check that the message store's database runs and can be reached from here, and that spring.datasource.* or spring.cloud.azure.cosmos.* names it and its user.";
        }
        return "Look up %s in docs/errors.md. To see the stack trace, start with --debug.".formatted(failure.code());
    }
}
