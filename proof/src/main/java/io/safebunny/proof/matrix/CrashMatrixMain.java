// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.matrix.Matrix.Cell;
import io.safebunny.proof.matrix.Outcome.Verdict;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import io.safebunny.test.broker.TestBroker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** Entry point of {@code bin/crash-matrix}: progress on standard error; the matrix, and totals as JSON, on standard output. */
final class CrashMatrixMain {

    private CrashMatrixMain() {}

    public static void main(String... arguments) throws InterruptedException {
        MatrixOptions options = MatrixOptions.of(arguments);
        TestBroker broker = TestBroker.shared();
        say("RabbitMQ " + broker.version());
        boolean failed;
        try (StoreServers servers = new StoreServers()) {
            List<StoreAddress> stores = addresses(options, servers);
            List<Scenario> scenarios = Scenarios.all().stream()
                    .filter(scenario ->
                            options.points().matcher(scenario.name()).find())
                    .toList();
            List<Cell> cells = scenarios.stream()
                    .flatMap(scenario -> stores.stream().map(store -> new Cell(scenario, store)))
                    .toList();
            Map<Cell, Outcome> outcomes =
                    new Matrix(broker.uri().toString(), options.logs(), CrashMatrixMain::say).play(cells);
            print(scenarios, stores, outcomes);
            System.out.println(new JsonMapper().writeValueAsString(totals(broker.version(), outcomes)));
            failed = outcomes.values().stream().anyMatch(outcome -> outcome.verdict() == Verdict.FAILED);
        }
        System.exit(failed ? 1 : 0);
    }

    private static List<StoreAddress> addresses(MatrixOptions options, StoreServers servers) {
        List<StoreAddress> stores = new ArrayList<>();
        for (StoreKind kind : options.stores()) {
            for (boolean transactional : options.modes()) {
                if (!transactional || kind.isJdbc()) {
                    stores.add(servers.address(kind, transactional));
                }
            }
        }
        return stores;
    }

    private static void print(List<Scenario> scenarios, List<StoreAddress> stores, Map<Cell, Outcome> outcomes) {
        System.out.println("| point | "
                + String.join(" | ", stores.stream().map(StoreAddress::title).toList()) + " |");
        System.out.println("|---|" + "---|".repeat(stores.size()));
        for (Scenario scenario : scenarios) {
            List<String> row = stores.stream()
                    .map(store -> Objects.requireNonNull(
                                    outcomes.get(new Cell(scenario, store)), "every cell has an outcome")
                            .text())
                    .toList();
            System.out.println("| " + scenario.name() + " | " + String.join(" | ", row) + " |");
        }
    }

    private static Map<String, Object> totals(String broker, Map<Cell, Outcome> outcomes) {
        Map<String, Object> totals = new LinkedHashMap<>();
        totals.put("broker", broker);
        for (Verdict verdict : Verdict.values()) {
            totals.put(
                    verdict.name().toLowerCase(java.util.Locale.ROOT),
                    outcomes.values().stream()
                            .filter(outcome -> outcome.verdict() == verdict)
                            .count());
        }
        return totals;
    }

    private static void say(String text) {
        System.err.println("crash-matrix: " + text);
    }
}
