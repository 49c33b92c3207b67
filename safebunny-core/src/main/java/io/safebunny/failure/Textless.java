// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for an exception whose text must not be shown: has its class, its code if it is one of ours, and its place. Only
 * logged, never thrown.
 */
final class Textless extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private Textless(Throwable failure, StackTraceElement[] place, @Nullable Textless cause) {
        super(describe(failure, place), cause, true, true);
        setStackTrace(place);
    }

    static Textless of(Throwable failure) {
        return of(failure, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /** @param known those visited already, because causes and suppressed exceptions may form a cycle */
    private static Textless of(Throwable failure, Set<Throwable> known) {
        known.add(failure);
        Throwable cause = Causes.causeOf(failure);
        Textless because = cause == null || isEnough(cause, known) ? null : of(cause, known);
        Textless textless = new Textless(failure, placeOf(failure), because);
        for (Throwable suppressed : failure.getSuppressed()) {
            if (!isEnough(suppressed, known)) {
                textless.addSuppressed(of(suppressed, known));
            }
        }
        return textless;
    }

    private static boolean isEnough(Throwable next, Set<Throwable> known) {
        return known.contains(next) || known.size() >= Causes.MOST;
    }

    private static String describe(Throwable failure, StackTraceElement[] place) {
        String code = failure instanceof SafeBunnyException ours ? ours.code() + " " : "";
        String at = place.length == 0 ? "" : " at " + place[0];
        return code + failure.getClass().getName() + at;
    }

    private static StackTraceElement[] placeOf(Throwable failure) {
        try {
            return failure.getStackTrace();
        } catch (RuntimeException | Error e) {
            return new StackTraceElement[0];
        }
    }

    /** Leaves out the name of this class, which says nothing. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message is all there is to show
    public String toString() {
        return String.valueOf(getMessage());
    }
}
