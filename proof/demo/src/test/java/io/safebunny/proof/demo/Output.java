// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Captures what the demo prints. */
final class Output {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    PrintStream stream() {
        return stream;
    }

    String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    String lastLine() {
        List<String> lines = text().lines().toList();
        return lines.get(lines.size() - 1);
    }
}
