// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.point;

import java.util.Locale;

/** Where a process can be halted. */
public record Point(Moment moment, Operation operation) {

    public static Point before(Operation operation) {
        return new Point(Moment.BEFORE, operation);
    }

    public static Point after(Operation operation) {
        return new Point(Moment.AFTER, operation);
    }

    @Override
    public String toString() {
        return moment.name().toLowerCase(Locale.ROOT) + ' ' + operation.label();
    }
}
