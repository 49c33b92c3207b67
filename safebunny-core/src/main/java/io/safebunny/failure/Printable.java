// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Makes failures of foreign code safe to log and quote: a {@code getMessage} that throws would otherwise cause a second failure
 * in the middle of recovering from the first. Pure.
 */
public final class Printable {

    private Printable() {}

    /** @return the failure, or, if its text or a cause's cannot be read, a stand-in that names its class and place */
    public static Throwable of(Throwable failure) {
        try {
            readAll(failure);
            return failure;
        } catch (Throwable e) {
            return new StandIn(failure, e);
        }
    }

    /** Calls everything that loggers and {@code printStackTrace} call. */
    private static void readAll(Throwable failure) {
        Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> next = new ArrayDeque<>(List.of(failure));
        while (!next.isEmpty() && known.size() < Causes.MOST) {
            Throwable one = next.remove();
            if (known.add(one)) {
                String unused = one.toString() + one.getMessage() + one.getLocalizedMessage();
                Throwable cause = one.getCause();
                if (cause != null) {
                    next.add(cause);
                }
                next.addAll(List.of(one.getSuppressed()));
            }
        }
    }

    /** Only logged, never thrown. */
    private static final class StandIn extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StandIn(Throwable failure, Throwable whyNot) {
            super(
                    "%s, whose text cannot be read (%s)"
                            .formatted(
                                    failure.getClass().getName(),
                                    whyNot.getClass().getName()),
                    null,
                    false,
                    true);
            try {
                setStackTrace(failure.getStackTrace());
            } catch (RuntimeException | Error e) {
                setStackTrace(new StackTraceElement[0]);
            }
        }
    }
}
