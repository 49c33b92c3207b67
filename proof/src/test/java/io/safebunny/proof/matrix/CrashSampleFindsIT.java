// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import static io.safebunny.proof.matrix.Sample.play;
import static io.safebunny.proof.matrix.Sample.scenarios;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.child.Plan;
import io.safebunny.proof.matrix.Matrix.Cell;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The matrix of {@code bin/crash-matrix} finds what is wrong. */
@Tag("once")
class CrashSampleFindsIT {

    private static final StoreServers SERVERS = new StoreServers();

    @AfterAll
    static void stopServers() {
        SERVERS.close();
    }

    /**
     * Where H2 writes later, the loss is found: only the settings from the guide make it durable. Its default of 500 ms is too short here,
     * a busy machine may write before the process is halted.
     */
    @Test
    void aFileThatIsWrittenLaterIsFound() throws Exception {
        StoreAddress durable = SERVERS.address(StoreKind.H2_FILE, true);
        StoreAddress later = new StoreAddress(
                durable.kind(), true, durable.url().replace(";WRITE_DELAY=0", ";WRITE_DELAY=60000"), "");
        Cell cell =
                new Cell(scenarios(Set.of("halt after send first publication")).get(0), later);

        Outcome outcome = Objects.requireNonNull(play(List.of(cell)).get(cell));

        assertThat(outcome.text()).contains("the handler ran 2 times");
    }

    /** Proves that the checks find anything at all. */
    @Test
    void storeThatForgetsIsFound() throws Exception {
        Scenario sound = scenarios(Set.of("halt after send first publication")).get(0);
        Scenario anyStore =
                new Scenario(sound.name(), sound.kind(), sound.script(), store -> null, sound.expectation());
        Cell forgetful = new Cell(anyStore, SERVERS.address(StoreKind.MEMORY, false));

        Outcome outcome = Objects.requireNonNull(play(List.of(forgetful)).get(forgetful));

        assertThat(outcome.text()).contains("the handler ran 2 times").contains("2 different messages of type Charged");
    }

    /** A process that never reaches its point has proved nothing. */
    @Test
    void pointThatIsNeverReachedIsFound() throws Exception {
        Scenario sound = scenarios(Set.of("halt after complete")).get(0);
        Scenario otherScript = new Scenario(
                "never reached",
                sound.kind(),
                (stage, order) -> {
                    stage.start(Plan.halt("after nothing"));
                    stage.publish(order);
                },
                store -> null,
                store -> Expectation.of(sound.kind()));
        Cell cell = new Cell(otherScript, SERVERS.address(StoreKind.H2, false));

        Outcome outcome = Objects.requireNonNull(play(List.of(cell)).get(cell));

        assertThat(outcome.text()).contains("never reached: after nothing");
    }
}
