// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What is logged through SLF4J and Logback by whichever thread, from {@link #start} on until it is closed. A parameter of tests with {@link
 * CaptureLogs} or {@link BunnyTest}, closed after the test.
 *
 * <p>Lines below the level of their logger are not there, see {@link #at}; nor are those of loggers that are not additive. A Spring Boot
 * application that starts later sets up logging anew, which ends the capture. Thread-safe.
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

    /** @throws ExtensionConfigurationException SLF4J does not log with Logback */
    public static CapturedLogs start() {
        requireLogback(LoggerFactory.getILoggerFactory());
        return new CapturedLogs();
    }

    static void requireLogback(ILoggerFactory used) {
        if (!used.getClass().getName().equals(LOGBACK)) {
            throw new ExtensionConfigurationException(
                    "Log lines cannot be captured [logger factory=%s]: SLF4J logs with something else than Logback. Add ch.qos.logback:logback-classic to the tests, and remove other providers of SLF4J from their class path."
                            .formatted(used.getClass().getName()));
        }
    }

    private void add(LogLine line) {
        synchronized (lines) {
            lines.add(line);
        }
    }

    /**
     * This logger, and those under it that have no level of their own, log lines of this level, too, until the capture is closed.
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
     * The lines so far that were logged while messages of the saga were handled, in order: those of handlers and middlewares, and SafeBunny's
     * own.
     *
     * @param saga correlation id
     */
    public List<LogLine> of(String saga) {
        return all().stream().filter(line -> saga.equals(line.mdc().get(SAGA))).toList();
    }

    /** Nothing more is captured, and levels are as before. The lines stay. A repeat is harmless. */
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
