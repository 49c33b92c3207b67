// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.logs;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Captures what any thread logs through SLF4J and Logback, from {@link #start} until it is closed. Tests with {@link CaptureLogs} or {@code
 * @BunnyTest} may have it as a parameter; it is then closed after the test.
 *
 * <p>Does not capture lines below their logger's level, see {@link #at}, or of loggers that are not additive. A Spring Boot application
 * that starts later reinitializes logging, which ends the capture. Thread-safe.
 */
public final class CapturedLogs implements AutoCloseable {

    /** The MDC key of the correlation id, as SafeBunny sets it while a message is handled. */
    private static final String SAGA = "safebunny.correlationId";

    private static final String LOGBACK = "ch.qos.logback.classic.LoggerContext";

    private final List<LogLine> lines = new ArrayList<>(); // guarded by itself
    private final LogbackCapture capture;

    private CapturedLogs() {
        capture = LogbackCapture.begin(this::add);
    }

    /** @throws ExtensionConfigurationException if SLF4J is not bound to Logback */
    public static CapturedLogs start() {
        requireLogback(LoggerFactory.getILoggerFactory());
        return new CapturedLogs();
    }

    static void requireLogback(ILoggerFactory used) {
        if (!used.getClass().getName().equals(LOGBACK)) {
            throw new ExtensionConfigurationException(
                    "Log lines cannot be captured [logger factory=%s]: SLF4J is not bound to Logback. Add ch.qos.logback:logback-classic to the tests, and remove other SLF4J providers from their class path."
                            .formatted(used.getClass().getName()));
        }
    }

    private void add(LogLine line) {
        synchronized (lines) {
            lines.add(line);
        }
    }

    /**
     * Sets the level of this logger, and of those below it without their own level, until the capture is closed.
     *
     * @param logger its name; {@code ROOT} for all
     */
    public CapturedLogs at(String logger, Level level) {
        capture.level(logger, level);
        return this;
    }

    /** All lines so far, in order. */
    public List<LogLine> all() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /**
     * The lines so far that were logged while handling the saga's messages, in order, by handlers, middlewares and SafeBunny.
     *
     * @param saga correlation id
     */
    public List<LogLine> of(String saga) {
        return all().stream().filter(line -> saga.equals(line.mdc().get(SAGA))).toList();
    }

    /** Stops capturing and restores the levels. The lines are kept. A repeat is harmless. */
    @Override
    public void close() {
        capture.end();
    }

    /** All lines, one after the other. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        all().forEach(line -> text.append(line).append(System.lineSeparator()));
        return text.toString();
    }
}
