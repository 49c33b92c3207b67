// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.process;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * Silences SafeBunny's log while any instance is open, if SLF4J is bound to Logback, because failures in hundreds of runs are intended.
 * Thread-safe.
 */
public final class QuietLog implements AutoCloseable {

    private static final String LIBRARY = "io.safebunny";
    private static final String LOGBACK = "ch.qos.logback.classic.LoggerContext";

    private static int open;
    private static @Nullable Object before;

    private QuietLog() {}

    public static QuietLog begin() {
        synchronized (QuietLog.class) {
            if (open++ == 0 && isLogback()) {
                before = OfLogback.silence();
            }
        }
        return new QuietLog();
    }

    private static boolean isLogback() {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        return factory.getClass().getName().equals(LOGBACK);
    }

    @Override
    public void close() {
        synchronized (QuietLog.class) {
            if (--open == 0 && isLogback()) {
                OfLogback.restore(before);
            }
        }
    }

    /** Loaded only if Logback is on the class path. */
    private static final class OfLogback {

        static @Nullable Object silence() {
            Logger library = (Logger) LoggerFactory.getLogger(LIBRARY);
            Level level = library.getLevel();
            library.setLevel(Level.OFF);
            return level;
        }

        static void restore(@Nullable Object level) {
            ((Logger) LoggerFactory.getLogger(LIBRARY)).setLevel((Level) level);
        }
    }
}
