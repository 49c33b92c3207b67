// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/** Tells people what goes on: the essential on standard error, the rest in a file. Thread-safe. */
final class Report implements AutoCloseable {

    private final BufferedWriter file;

    Report(Path logs) {
        try {
            file = Files.newBufferedWriter(logs.resolve("faults.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** For the file alone. */
    synchronized void note(String text) {
        try {
            file.write(LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS) + " " + text
                    + System.lineSeparator());
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void progress(String text) {
        System.err.println("soak: " + text);
        note(text);
    }

    void trouble(String text) {
        progress("trouble: " + text);
    }

    @Override
    public synchronized void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
