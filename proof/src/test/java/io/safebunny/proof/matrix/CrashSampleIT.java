// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.child.Plan;
import io.safebunny.proof.matrix.Matrix.Cell;
import io.safebunny.proof.matrix.Outcome.Verdict;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import io.safebunny.test.broker.TestBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A few cells of the matrix of {@code bin/crash-matrix}, one or two for each kind of guarantee. */
class CrashSampleIT {

    private static final Path LOGS = Path.of("target", "crash");
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

    private static final Set<String> SAGA_SAMPLE =
            Set.of("saga: halt before complete of UndoB", "saga: halt after complete of BunnyUndone");

    private static final Set<String> GROUP_SAMPLE =
            Set.of("group: halt after commit of a group", "group: one of them fails");

    private static final Set<String> BATCH_SAMPLE = Set.of(
            "batch: halt after claim of a group",
            "batch: halt before commit, number 2",
            "batch: halt after commit, number 2",
            "batch: halt after acknowledge in a group",
            "batch: one of them fails");

    @AfterAll
    static void stopServers() {
        SERVERS.close();
    }

    private static Map<Cell, Outcome> play(List<Cell> cells) throws Exception {
        Files.createDirectories(LOGS);
        Matrix matrix = new Matrix(TestBroker.shared().uri().toString(), LOGS, System.err::println);
        return matrix.play(cells);
    }

    private static List<Scenario> scenarios(Set<String> names) {
        List<Scenario> found = Scenarios.all().stream()
                .filter(scenario -> names.contains(scenario.name()))
                .toList();
        assertThat(found).hasSameSizeAs(names);
        return found;
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

    @Test
    void sagasAreUndoneOnceAndInReverse() throws Exception {
        assertAllOk(
                SAGA_SAMPLE,
                List.of(
                        SERVERS.address(StoreKind.POSTGRESQL, true),
                        SERVERS.address(StoreKind.MYSQL, false),
                        SERVERS.address(StoreKind.H2, false)));
    }

    @Test
    void messagesThatShareATransactionDoNotPayForEachOther() throws Exception {
        assertAllOk(GROUP_SAMPLE, List.of(SERVERS.address(StoreKind.POSTGRESQL, true)));
    }

    @Test
    void messagesOfABatchDoNotPayForEachOther() throws Exception {
        assertAllOk(
                BATCH_SAMPLE,
                List.of(SERVERS.address(StoreKind.POSTGRESQL, true), SERVERS.address(StoreKind.H2_FILE, true)));
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

    private static void assertAllOk(Set<String> sample, List<StoreAddress> stores) throws Exception {
        List<Cell> cells = scenarios(sample).stream()
                .flatMap(scenario -> stores.stream().map(store -> new Cell(scenario, store)))
                .toList();

        Map<Cell, Outcome> outcomes = play(cells);

        Map<Cell, Outcome> others = outcomes.entrySet().stream()
                .filter(cell -> cell.getValue().verdict() != Verdict.OK)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        assertThat(others).isEmpty();
        assertThat(outcomes).hasSameSizeAs(cells);
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
