// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.logs;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** Captures the events of Logback's root logger. The only class that uses Logback, which is optional. Thread-safe. */
final class LogbackCapture extends AppenderBase<ILoggingEvent> {

    private final Consumer<LogLine> lines;
    private final Logger root;
    private final Deque<Runnable> undo = new ArrayDeque<>(); // guarded by itself

    private LogbackCapture(Consumer<LogLine> lines, Logger root) {
        this.lines = lines;
        this.root = root;
    }

    static LogbackCapture begin(Consumer<LogLine> lines) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        LogbackCapture capture = new LogbackCapture(lines, context.getLogger(Logger.ROOT_LOGGER_NAME));
        capture.setContext(context);
        capture.start();
        capture.root.addAppender(capture);
        return capture;
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.accept(new LogLine(
                org.slf4j.event.Level.valueOf(event.getLevel().toString()),
                event.getLoggerName(),
                event.getFormattedMessage(),
                event.getMDCPropertyMap(),
                event.getThreadName(),
                event.getThrowableProxy() instanceof ThrowableProxy proxy ? proxy.getThrowable() : null));
    }

    void level(String name, org.slf4j.event.Level level) {
        Logger logger = root.getLoggerContext().getLogger(name);
        synchronized (undo) {
            Level before = logger.getLevel();
            undo.push(() -> logger.setLevel(before));
            logger.setLevel(Level.valueOf(level.toString()));
        }
    }

    void end() {
        root.detachAppender(this);
        synchronized (undo) {
            undo.forEach(Runnable::run);
            undo.clear();
        }
        stop();
    }
}
