// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.details;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Makes foreign exceptions and texts safe to log and quote. Otherwise a {@code getMessage} that throws would cause a second
 * failure while recovering from the first, and a line break could forge a log line. Pure.
 */
public final class Printable {

    private Printable() {}

    /** @return the failure itself, or a stand-in with its class and location if a text of it or its causes cannot be read */
    public static Throwable of(Throwable failure) {
        return isEach(failure, text -> true) ? failure : StandIn.of(failure, Throwable::toString);
    }

    /**
     * @return the failure itself, or a stand-in with single-line texts if a text of it or its causes cannot be read or has
     *     several lines
     */
    public static Throwable inLines(Throwable failure) {
        return isEach(failure, text -> text.codePoints().noneMatch(Printable::isInvisible))
                ? failure
                : StandIn.of(failure, one -> text(one.toString()));
    }

    /**
     * Whether the texts of the failure, its causes and its suppressed exceptions can all be read and all satisfy the predicate; false
     * beyond {@code Causes.MOST} exceptions. Calls the same methods as loggers do, because application code may throw in them.
     */
    private static boolean isEach(Throwable failure, Predicate<String> so) {
        Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> next = new ArrayDeque<>(List.of(failure));
        try {
            while (!next.isEmpty() && known.size() < Causes.MOST) {
                Throwable one = next.remove();
                if (known.add(one)) {
                    if (!so.test(one.toString() + one.getMessage() + one.getLocalizedMessage())) {
                        return false;
                    }
                    Throwable cause = one.getCause();
                    if (cause != null) {
                        next.add(cause);
                    }
                    next.addAll(List.of(one.getSuppressed()));
                }
            }
            return next.isEmpty();
        } catch (Throwable e) {
            return false;
        }
    }

    /** Foreign text without characters that could start a line, move the cursor, or reverse the text direction. */
    public static String text(String text) {
        return text.codePoints()
                .map(c -> isInvisible(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    // an unpaired surrogate, which JSON cannot contain
                    Character.SURROGATE -> true;
            default -> false;
        };
    }
}
