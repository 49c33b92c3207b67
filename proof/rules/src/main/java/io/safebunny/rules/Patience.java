// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * How long a test waits that does not say how long: what takes a second on an idle machine may take half a minute beside the start of three
 * servers. JUnit finds it as a service.
 */
public final class Patience implements TestExecutionListener {

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }
}
