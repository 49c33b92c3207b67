// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.failure.MisuseException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets a companion be found without its key. Immutable; times are kept to the millisecond.
 *
 * @param kind kind of companion, 1 to 100 letters, digits, dots, underscores, dollar signs and hyphens
 * @param status its status, 1 to 32 of the same characters
 * @param createdAt when it was created
 * @param dueAt when a sweep must process it; {@code null} for never
 */
public record Listing(
        String kind,
        String status,
        Instant createdAt,
        @Nullable Instant dueAt) {

    /** Maximum length of {@link #kind}. */
    public static final int LONGEST_KIND = 100;

    /** Maximum length of {@link #status}. */
    public static final int LONGEST_STATUS = 32;

    public Listing {
        require("kind", kind, LONGEST_KIND);
        require("status", status, LONGEST_STATUS);
        createdAt = createdAt.truncatedTo(ChronoUnit.MILLIS);
        dueAt = dueAt == null ? null : dueAt.truncatedTo(ChronoUnit.MILLIS);
    }

    private static void require(String what, String text, int longest) {
        boolean plain = text.chars()
                .allMatch(c -> (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || c == '.'
                        || c == '_'
                        || c == '$'
                        || c == '-');
        if (text.isEmpty() || text.length() > longest || !plain) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid listing [%s has %s characters]: it must have 1 to %s letters, digits, dots, underscores, dollar signs and hyphens."
                            .formatted(what, text.length(), longest));
        }
    }
}
