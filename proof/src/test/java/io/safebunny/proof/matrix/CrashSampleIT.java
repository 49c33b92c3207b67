// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import static io.safebunny.proof.matrix.Sample.assertAllOk;
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
import org.junit.jupiter.api.Test;

/** A few cells of the matrix of {@code bin/crash-matrix} whose messages are handled alone, one or two for each kind of guarantee. */
class CrashSampleIT {

    private static final StoreServers SERVERS = new StoreServers();

    /** Names of rows in {@link Scenarios}. */
    private static final Set<String> SAMPLE = Set.of(
            "halt before complete",
            "halt after complete",
            "halt after send first publication",
            "halt before acknowledge",
            "halt after release",
            "halt after poison mark",
            "two instances, same message at once",
            "zombie after handler");

    private static final Set<String> OUTBOX_SAMPLE =
            Set.of("outbox: halt before publications commit", "outbox: halt after send first publication");

    @AfterAll
    static void stopServers() {
        SERVERS.close();
    }

    @Test
    void nothingIsLostOrDoneTwice() throws Exception {
        assertAllOk(
                SAMPLE,
                List.of(
                        SERVERS.address(StoreKind.POSTGRESQL, true),
                        SERVERS.address(StoreKind.MYSQL, true),
                        SERVERS.address(StoreKind.H2, false)));
    }

    @Test
    void whatIsCommittedIsSentOnceAndNothingElse() throws Exception {
        assertAllOk(
                OUTBOX_SAMPLE,
                List.of(SERVERS.address(StoreKind.POSTGRESQL, true), SERVERS.address(StoreKind.MYSQL, true)));
    }

    /** No other process keeps the database alive. */
    @Test
    void aFileGoesDownWithTheProcess() throws Exception {
        assertAllOk(
                Set.of("halt after commit", "halt after send first publication"),
                List.of(SERVERS.address(StoreKind.H2_FILE, true)));
        assertAllOk(OUTBOX_SAMPLE, List.of(SERVERS.address(StoreKind.H2_FILE, true)));
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
