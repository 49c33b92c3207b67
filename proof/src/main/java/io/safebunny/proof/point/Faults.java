// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import io.safebunny.message.WireMessage;
import java.util.function.Supplier;

/** Decides what happens at points: nothing, the end of the process, or an exception instead of an answer. Thread-safe. */
public interface Faults {

    /** Called on the thread that reaches the point. */
    void reached(Point point);

    /** Called for an operation of the store that is not a point. */
    void asksStore();

    /** Runs the handling of a message; the points in it are of that message. */
    default void handling(WireMessage message, Runnable handling) {
        handling.run();
    }

    /** For the points at which the message is sent. */
    default Faults sending(WireMessage message) {
        return this;
    }

    /** Runs the operation between its two points. */
    default <T> T around(Operation operation, Supplier<T> io) {
        reached(Point.before(operation));
        T result = io.get();
        reached(Point.after(operation));
        return result;
    }
}
