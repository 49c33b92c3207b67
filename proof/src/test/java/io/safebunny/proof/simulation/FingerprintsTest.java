// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sagas with timeouts, and replays, are as deterministic as handlers alone. */
@Tag("once")
class FingerprintsTest {

    @Test
    void areTheSameInAnotherProcess() throws Exception {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fingerprints.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String here = Fingerprints.all();
        String printed = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(other.waitFor()).isZero();
        assertThat(printed.lines().reduce((first, last) -> last)).contains(here);
    }
}
