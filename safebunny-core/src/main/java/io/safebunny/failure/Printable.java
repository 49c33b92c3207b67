// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Failures of other people's code, fit to be logged or quoted: a {@code getMessage} that throws would otherwise turn the telling of a
 * failure into another one, in the middle of its recovery. Pure.
 */
public final class Printable {

    private Printable() {}

    /** @return the failure, or, when its text or that of one of its causes cannot be made, one that names its class and place */
    public static Throwable of(Throwable failure) {
        try {
            readAll(failure);
            return failure;
        } catch (Throwable e) {
            return new StandIn(failure, e);
        }
    }

    /** All that loggers and {@code printStackTrace} ask for. */
    private static void readAll(Throwable failure) {
        Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> next = new ArrayDeque<>(List.of(failure));
        while (!next.isEmpty()) {
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

    /** Only told, never thrown. */
    private static final class StandIn extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StandIn(Throwable failure, Throwable whyNot) {
            super(
                    "%s, whose text cannot be made (%s)"
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
