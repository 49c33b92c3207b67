// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.proof.simulation.story.Choreographed;
import io.safebunny.proof.simulation.story.Orchestrated;
import io.safebunny.test.simulation.SimulatedSystem;
import io.safebunny.test.simulation.Simulation;
import io.safebunny.test.simulation.run.Schedule;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Schedules in which the simulation has found something in the library itself. */
class FindingsTest {

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny");

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        log.setLevel(null);
    }

    /** A claim that fell silent when it could not be written as poisoned was busy for ever: its copy could be neither replayed nor discarded. */
    @Test
    void aMessageWhosePoisoningTheStoreDidNotTakeCanBeReplayed() {
        replay(Choreographed::repaired, "billing-1 | BEFORE_WRITE | POISONED for OrderPlaced | 1 | FAIL");
    }

    /** The memory transport kept from everybody what a process had been looking at when it ended. */
    @Test
    void whatAReplayHadTakenWhenItsProcessEndedIsThereForTheNextOne() {
        replay(Choreographed::repaired, "billing-1 | BEFORE_SEND | OrderPlaced back to its queue | 1 | CRASH");
    }

    /** While a renewal waits for the store, the end of the handling waits for the renewal, and not the whole process with it. */
    @Test
    void aHandlerEndsWhileItsClaimIsRenewed() {
        replay(Orchestrated::late, "billing | BEFORE_WRITE | CLAIMED for Capture | 4 | INTERRUPT");
    }

    private static void replay(Consumer<SimulatedSystem> story, String... events) {
        Simulation.of(story).replay(Schedule.read(events));
    }
}
