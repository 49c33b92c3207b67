// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class BunnySimulationTest {

    @BunnySimulation(schedules = 100)
    void holds(SimulatedSystem system) {
        Orders.declare(system);
    }

    @Test
    void failsWithTheWayAndAMethodThatGoesIt() {
        assertThat(failure("breaks"))
                .contains("seed 1")
                .contains("crash when billing-1 has done charge 7")
                .contains("sequenceDiagram")
                .contains("@BunnySimulation(replay = {")
                .contains("\"billing-1 | AFTER_EFFECT | charge 7 | 1 | CRASH\"")
                .contains("void breaksReplayed(SimulatedSystem system) {")
                .contains("breaks(system);");
    }

    @Test
    void replaysOneSchedule() {
        assertThat(failure("replays")).contains("each order is charged, shipped and told of once");
        assertThat(run("replaysWhatHolds").getTestsSucceededCount()).isEqualTo(1);
    }

    @Test
    void theMethodTakesOneSystem() {
        assertThat(failure("takesTwo")).contains("takesTwo(SimulatedSystem system)");
    }

    @Test
    void whatADeclarationThrowsIsTheFailure() {
        assertThat(failure("cannotBeDeclared")).contains("no such bank");
    }

    private static String failure(String method) {
        TestExecutionSummary summary = run(method);
        assertThat(summary.getFailures()).hasSize(1);
        return String.valueOf(summary.getFailures().get(0).getException().getMessage());
    }

    private static TestExecutionSummary run(String method) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        String parameters = method.equals("takesTwo")
                ? SimulatedSystem.class.getName() + "," + SimulatedSystem.class.getName()
                : SimulatedSystem.class.getName();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Declared.class.getName(), method, parameters))
                .build();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }

    /** Run by the tests above, one method at a time. */
    static final class Declared {

        @BunnySimulation(schedules = 200)
        void breaks(SimulatedSystem system) {
            Orders.declareWithoutKey(system);
        }

        @BunnySimulation(replay = "billing-1 | AFTER_EFFECT | charge 7 | 1 | CRASH")
        void replays(SimulatedSystem system) {
            Orders.declareWithoutKey(system);
        }

        @BunnySimulation(replay = "billing-1 | AFTER_EFFECT | charge 7 | 1 | CRASH")
        void replaysWhatHolds(SimulatedSystem system) {
            Orders.declare(system);
        }

        @BunnySimulation
        void takesTwo(SimulatedSystem system, SimulatedSystem other) {
            Orders.declare(system);
        }

        @BunnySimulation
        void cannotBeDeclared(SimulatedSystem system) {
            if (!system.effects().all().containsKey("bank")) {
                throw new IllegalArgumentException("no such bank");
            }
        }
    }
}
