// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.matrix.Matrix.Cell;
import io.safebunny.proof.matrix.Outcome.Verdict;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.broker.TestBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Plays cells of the matrix and expects that nothing is lost or done twice. */
final class Sample {

    private static final Path LOGS = Path.of("target", "crash");

    private Sample() {}

    static Map<Cell, Outcome> play(List<Cell> cells) throws Exception {
        Files.createDirectories(LOGS);
        Matrix matrix = new Matrix(TestBroker.shared().uri().toString(), LOGS, System.err::println);
        return matrix.play(cells);
    }

    static List<Scenario> scenarios(Set<String> names) {
        List<Scenario> found = Scenarios.all().stream()
                .filter(scenario -> names.contains(scenario.name()))
                .toList();
        assertThat(found).hasSameSizeAs(names);
        return found;
    }

    static void assertAllOk(Set<String> sample, List<StoreAddress> stores) throws Exception {
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
}
