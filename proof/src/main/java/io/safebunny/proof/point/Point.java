// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import java.util.Locale;

/**
 * Where a process can be halted.
 *
 * @param type of the message; empty for the point of any message
 */
public record Point(Moment moment, Operation operation, String type) {

    public static Point before(Operation operation) {
        return new Point(Moment.BEFORE, operation, "");
    }

    public static Point after(Operation operation) {
        return new Point(Moment.AFTER, operation, "");
    }

    public Point of(String otherType) {
        return new Point(moment, operation, otherType);
    }

    @Override
    public String toString() {
        return moment.name().toLowerCase(Locale.ROOT) + ' ' + operation.label() + (type.isEmpty() ? "" : " of " + type);
    }
}
