// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PortsTest {

    private static final int MANY = 200;

    @Test
    void aPortWhoseServerIsDownIsNotTakenAgain() {
        assertThat(IntStream.range(0, MANY).map(i -> Ports.take(1))).doesNotHaveDuplicates();
    }

    @Test
    void portsFollowEachOtherAndNobodyListensOnThem() throws IOException {
        int before = Ports.take(1);
        try (ServerSocket another = new ServerSocket(before + 3, 1, InetAddress.getLoopbackAddress())) {
            int first = Ports.take(5);

            assertThat(first).isGreaterThan(another.getLocalPort());
            for (int i = 0; i < 5; i++) {
                new ServerSocket(first + i, 1, InetAddress.getLoopbackAddress()).close();
            }
        }
    }

    @Test
    void anotherProcessTakesOthers() throws Exception {
        int ours = Ports.take(1);
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Taker.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = other.inputReader()) {
            int[] theirs = lines.lines().mapToInt(Integer::parseInt).toArray();

            assertThat(other.waitFor()).isZero();
            assertThat(theirs).hasSize(MANY);
            assertThat(IntStream.concat(
                            IntStream.of(theirs), IntStream.range(0, MANY).map(i -> Ports.take(1))))
                    .doesNotContain(ours)
                    .doesNotHaveDuplicates();
        }
    }

    /** Prints ports. */
    static final class Taker {

        public static void main(String[] arguments) {
            IntStream.range(0, MANY).map(i -> Ports.take(1)).forEach(System.out::println);
        }
    }
}
