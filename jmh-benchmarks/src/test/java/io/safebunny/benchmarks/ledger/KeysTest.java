// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The keys of {@code bin/bench --json}; read from the sources, because contests exist only beside a broker and a database. */
class KeysTest {

    private static final Pattern KEY = Pattern.compile("new (?:Ratio|Cost)\\(\\s*\"(\\w+)\"");

    @Test
    void areUnique() throws IOException {
        assertThat(keys()).doesNotHaveDuplicates();
    }

    @Test
    void thoseThatOthersReadStay() throws IOException {
        assertThat(keys())
                .contains(
                        "transactionalVsNone10",
                        "transactionalVsNone100",
                        "singleVsInbox10",
                        "singleVsInbox100",
                        "sagaVsDbos",
                        "sagaVsFlowable",
                        "outboxVsNaive",
                        "outboxVsLibrary",
                        "sharedVsNone100",
                        "batch100VsListener",
                        "batch100VsSingle",
                        "statementsPerMessage",
                        "walPerMessage");
    }

    private static List<String> keys() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            List<String> sources = files.filter(file -> file.toString().endsWith(".java"))
                    .map(KeysTest::read)
                    .toList();
            return sources.stream()
                    .flatMap(source -> KEY.matcher(source).results())
                    .map(result -> result.group(1))
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
