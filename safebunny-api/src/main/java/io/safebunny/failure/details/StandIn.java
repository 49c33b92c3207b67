// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.details;

import io.safebunny.failure.SafeBunnyException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replaces an exception whose text must not be shown as it is: has the same location and causes. Only shown, never thrown. */
final class StandIn extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private StandIn(String text, StackTraceElement[] place, @Nullable StandIn cause) {
        super(text, cause, true, true);
        setStackTrace(place);
    }

    /** Shows only the class, the location and, for one of our exceptions, the code. */
    static StandIn textless(Throwable failure) {
        return of(failure, StandIn::describe, known());
    }

    /** @param texts gives the text shown for a failure instead of its {@code toString}; if it throws, the text is omitted */
    static StandIn of(Throwable failure, Function<Throwable, String> texts) {
        return of(
                failure,
                one -> {
                    try {
                        return texts.apply(one);
                    } catch (Throwable e) {
                        return "%s, whose text cannot be read (%s)"
                                .formatted(
                                        one.getClass().getName(), e.getClass().getName());
                    }
                },
                known());
    }

    private static Set<Throwable> known() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** @param known failures already visited, because causes and suppressed exceptions may form a cycle */
    private static StandIn of(Throwable failure, Function<Throwable, String> texts, Set<Throwable> known) {
        known.add(failure);
        Throwable cause = Causes.causeOf(failure);
        StandIn because = cause == null || isEnough(cause, known) ? null : of(cause, texts, known);
        StandIn standIn = new StandIn(texts.apply(failure), placeOf(failure), because);
        for (Throwable suppressed : failure.getSuppressed()) {
            if (!isEnough(suppressed, known)) {
                standIn.addSuppressed(of(suppressed, texts, known));
            }
        }
        return standIn;
    }

    private static boolean isEnough(Throwable next, Set<Throwable> known) {
        return known.contains(next) || known.size() >= Causes.MOST;
    }

    private static String describe(Throwable failure) {
        StackTraceElement[] place = placeOf(failure);
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

    /** Omits the name of this class, which would tell the reader nothing. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message is the whole text to show
    public String toString() {
        return String.valueOf(getMessage());
    }
}
