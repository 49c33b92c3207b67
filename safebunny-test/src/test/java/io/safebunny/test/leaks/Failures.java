// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.leaks;

import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What fails when a test class runs. */
public final class Failures implements TestExecutionListener {

    private final List<String> failures = new ArrayList<>();

    private Failures() {}

    /** Of its tests and of the class itself. */
    public static List<String> of(Class<?> test) {
        Failures found = new Failures();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(test))
                                .build(),
                        found);
        return found.failures;
    }

    @Override
    public void executionFinished(TestIdentifier finished, TestExecutionResult result) {
        result.getThrowable()
                .ifPresent(failure -> failures.add(finished.getDisplayName() + ": " + failure.getMessage()));
    }
}
