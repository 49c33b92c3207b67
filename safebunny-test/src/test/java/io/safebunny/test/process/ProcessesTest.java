// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProcessesTest {

    private Process process;

    @BeforeEach
    void start() throws Exception {
        process = new ProcessBuilder("sh", "-c", "while read line; do echo \"$line\"; done").start();
    }

    @AfterEach
    void end() throws Exception {
        Processes.signal("KILL", Stream.of(process.pid()));
        process.waitFor();
    }

    @Test
    void aFrozenProcessAnswersOnceItIsResumed() throws Exception {
        assertThat(answer()).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("hello");

        Processes.freeze(() -> List.of(process.pid()));
        CompletableFuture<String> answer = answer();

        assertThat(answer).failsWithin(200, TimeUnit.MILLISECONDS);
        assertThat(Processes.isRunning(process.pid())).isTrue();
        Processes.signal("CONT", Stream.of(process.pid()));
        assertThat(answer).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("hello");
    }

    @Test
    void freezesWhatIsStartedMeanwhile() throws Exception {
        List<List<Long>> seen = new ArrayList<>(List.of(List.of(), List.of(process.pid())));
        Processes.freeze(() -> seen.size() > 1 ? seen.remove(0) : seen.get(0));

        assertThat(answer()).failsWithin(200, TimeUnit.MILLISECONDS);
    }

    @Test
    void oneThatEndedNeitherRunsNorKeepsAnybodyWaiting() throws Exception {
        Processes.signal("KILL", Stream.of(process.pid()));
        process.waitFor();

        assertThat(Processes.isRunning(process.pid())).isFalse();
        Processes.freeze(() -> List.of(process.pid()));
        Processes.signal("CONT", Stream.empty());
    }

    private CompletableFuture<String> answer() throws IOException {
        process.getOutputStream().write("hello\n".getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        BufferedReader reader = process.inputReader();
        return CompletableFuture.supplyAsync(() -> {
            try {
                return reader.readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
