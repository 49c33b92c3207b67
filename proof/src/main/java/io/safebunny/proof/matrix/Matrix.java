// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.matrix.stage.Stage;
import io.safebunny.proof.matrix.stage.StageException;
import io.safebunny.proof.saga.Order;
import io.safebunny.proof.store.StoreAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs scenarios with stores, twice as many at a time as there are processors: a cell waits half of its time. */
final class Matrix {

    private static final int PARALLEL = 2 * Runtime.getRuntime().availableProcessors();

    private final String run = UUID.randomUUID().toString().substring(0, 6);
    private final String broker;
    private final Path logs;
    private final Consumer<String> progress;
    private final AtomicInteger cells = new AtomicInteger();
    private final AtomicInteger workers = new AtomicInteger();
    /** Delayed messages of one cell must not show up in another. */
    private final ThreadLocal<String> prefix =
            ThreadLocal.withInitial(() -> "crash-" + run + "-" + workers.incrementAndGet());

    /** @param broker URI of the broker */
    Matrix(String broker, Path logs, Consumer<String> progress) {
        this.broker = broker;
        this.logs = logs;
        this.progress = progress;
    }

    /** One scenario with one store. */
    record Cell(Scenario scenario, StoreAddress store) {
        @Override
        public String toString() {
            return scenario.name() + " [" + store.title() + "]";
        }
    }

    Map<Cell, Outcome> play(List<Cell> all) throws InterruptedException {
        Map<Cell, Outcome> outcomes = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(PARALLEL);
        try {
            List<Future<?>> playing = new ArrayList<>();
            for (Cell cell : all) {
                playing.add(threads.submit(() -> outcomes.put(cell, play(cell))));
            }
            for (Future<?> one : playing) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "A cell of the matrix did not end. Check the log of its processes.", e.getCause());
        } finally {
            threads.shutdownNow();
        }
        return outcomes;
    }

    Outcome play(Cell cell) {
        String notApplicable = cell.scenario().notApplicableTo(cell.store());
        if (notApplicable != null) {
            return Outcome.notApplicable(notApplicable);
        }
        String name = "c%s-%s".formatted(run, cells.incrementAndGet());
        Path log = logs.resolve(name + ".log");
        long begun = System.nanoTime();
        Outcome outcome = play(cell, name, log);
        progress.accept(String.format(
                Locale.ROOT,
                "%s: %s (%.1f s)%s",
                cell,
                outcome.text(),
                (System.nanoTime() - begun) / 1e9,
                outcome.verdict() == Outcome.Verdict.FAILED ? ", log " + log : ""));
        return outcome;
    }

    private Outcome play(Cell cell, String name, Path log) {
        Order order = new Order(name, cell.scenario().kind());
        Expectation expected = cell.scenario().expectationFor(cell.store());
        try (Stage stage = new Stage(name, prefix.get(), broker, cell.store(), log, order.kind())) {
            Checks checks = checks(stage, order, expected);
            List<String> problems = play(cell.scenario(), stage, order, checks);
            if (problems.isEmpty()) {
                Files.deleteIfExists(log);
                return Outcome.ok(checks.declared());
            }
            Files.writeString(log.resolveSibling(name + ".ledger"), cell + "\n" + problems + "\n" + stage.describe());
            return Outcome.failed(problems);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Checks checks(Stage stage, Order order, Expectation expected) {
        if (order.kind().isOfSaga()) {
            return new TripChecks(stage, order);
        }
        if (order.kind().isGroup()) {
            return new GroupChecks(stage, order, expected);
        }
        if (order.kind().isInOrder()) {
            return new LaneChecks(stage, order, expected);
        }
        return order.kind().isHandled()
                ? new SagaChecks(stage, order, expected)
                : new OutboxChecks(stage, order, expected);
    }

    private static List<String> play(Scenario scenario, Stage stage, Order order, Checks checks) {
        try {
            scenario.script().play(stage, order);
            checks.awaitQuiet();
            stage.stop();
            return checks.problems();
        } catch (StageException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }
}
