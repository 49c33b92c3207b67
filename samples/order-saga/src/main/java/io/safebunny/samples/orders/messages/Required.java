// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

import org.jspecify.annotations.Nullable;

/**
 * Checks components of messages, which may come from anywhere. If a record's constructor refuses a value, the body counts as
 * malformed: the message goes to the poison queue, and no handler ever sees it.
 */
final class Required {

    private static final int LONGEST = 200;

    private Required() {}

    static void text(String field, @Nullable String value) {
        if (value == null || value.isBlank() || value.length() > LONGEST) {
            throw new IllegalArgumentException(field + " must have 1 to " + LONGEST + " characters");
        }
    }

    static void within(String field, long min, long max, long value) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(field + " must be " + min + " to " + max);
        }
    }
}
