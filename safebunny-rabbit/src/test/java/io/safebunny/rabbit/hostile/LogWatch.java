// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** Counts what the library and those below it log at INFO and above, instead of printing it. Thread-safe. */
final class LogWatch extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private static final int SAMPLES = 20;

    private final List<Logger> watched = Stream.of("io.safebunny", "org.springframework.amqp", "com.rabbitmq")
            .map(name -> (Logger) LoggerFactory.getLogger(name))
            .toList();
    private final LongAdder lines = new LongAdder();
    private final LongAdder traces = new LongAdder();
    private final ConcurrentLinkedQueue<String> broken = new ConcurrentLinkedQueue<>();

    static LogWatch begin() {
        LogWatch watch = new LogWatch();
        watch.start();
        watch.watched.forEach(logger -> {
            logger.setLevel(Level.INFO);
            logger.setAdditive(false);
            logger.addAppender(watch);
        });
        return watch;
    }

    @Override
    protected void append(ILoggingEvent event) {
        String line = event.getFormattedMessage();
        lines.increment();
        if (line.codePoints().anyMatch(LogWatch::beginsALineOrTurnsIt) && broken.size() < SAMPLES) {
            broken.add(line);
        }
        IThrowableProxy failure = event.getThrowableProxy();
        if (failure != null) {
            traces.increment();
            lines.add(failure.getStackTraceElementProxyArray().length);
        }
    }

    private static boolean beginsALineOrTurnsIt(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    /** With those of stack traces. */
    long lines() {
        return lines.sum();
    }

    long traces() {
        return traces.sum();
    }

    /** Those in which a sender could forge another line, or hide one. */
    List<String> broken() {
        return List.copyOf(broken);
    }

    @Override
    public void close() {
        watched.forEach(logger -> {
            logger.detachAppender(this);
            logger.setAdditive(true);
            logger.setLevel(null);
        });
        stop();
    }
}
