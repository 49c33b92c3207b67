// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes allocated per message stay within their budgets, in a fresh process as {@link Allocation} measures them. */
class AllocationBudgetTest {

    @ParameterizedTest
    @CsvSource({"PUBLISHING, 4096", "HANDLING, 2048", "HANDLING_ONCE, 2560"})
    void staysWithinItsBudget(Allocation.Of what, int budget) throws Exception {
        assertThat(measured(what, budget)).as("bytes per message").isLessThanOrEqualTo(budget);
    }

    private static long measured(Allocation.Of what, int budget) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Allocation.class.getName(),
                        what.name(),
                        String.valueOf(budget))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(printed).isZero();
            return Long.parseLong(
                    printed.lines().reduce("", (before, line) -> line).strip());
        } finally {
            process.destroyForcibly();
        }
    }
}
