// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

import io.safebunny.proof.demo.command.Options;
import java.io.Console;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.Locale;

/** A progress line that is redrawn in place, only on a terminal. */
final class Progress {

    private static final int WIDTH = 40;

    private final PrintStream out;
    private final boolean visible;

    private Progress(PrintStream out, boolean visible) {
        this.out = out;
        this.visible = visible;
    }

    static Progress of(Options options, PrintStream out) {
        return new Progress(out, !options.json() && isTerminal());
    }

    /** Up to Java 21 System.console() is null without a terminal; since Java 22 it never is. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            Method isTerminal = Console.class.getMethod("isTerminal");
            return Boolean.TRUE.equals(isTerminal.invoke(console));
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    void show(long ended, long orders) {
        if (visible) {
            int filled = (int) (WIDTH * Math.min(ended, orders) / orders);
            out.printf(
                    Locale.ROOT,
                    "\r[%s%s] %,d of %,d orders",
                    "#".repeat(filled),
                    ".".repeat(WIDTH - filled),
                    ended,
                    orders);
            out.flush();
        }
    }

    void clear() {
        if (visible) {
            out.print("\r" + " ".repeat(WIDTH + 40) + "\r");
            out.flush();
        }
    }
}
