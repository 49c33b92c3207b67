// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.point;

import java.util.function.Supplier;

/** What happens at points: nothing, or the end of the process, or an exception in place of an answer. Thread-safe. */
public interface Faults {

    /** Called on the thread that is there. */
    void reached(Point point);

    /** An operation of the store that is no point of its own. */
    void asksStore();

    /** Passes both points of the operation. */
    default <T> T around(Operation operation, Supplier<T> io) {
        reached(Point.before(operation));
        T result = io.get();
        reached(Point.after(operation));
        return result;
    }
}
