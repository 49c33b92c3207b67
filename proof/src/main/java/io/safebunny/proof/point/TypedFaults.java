// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import io.safebunny.message.WireMessage;
import org.jspecify.annotations.Nullable;

/** Tells points of messages of different types apart: each is of the message that the thread handles, or sends. Thread-safe. */
public final class TypedFaults implements Faults {

    private final Faults faults;

    @SuppressWarnings("ThreadLocalUsage") // one for each process
    private final ThreadLocal<@Nullable String> handled = new ThreadLocal<>();

    public TypedFaults(Faults faults) {
        this.faults = faults;
    }

    /** Called around the handling of a message. */
    @Override
    public void handling(WireMessage message, Runnable handling) {
        handled.set(message.type());
        try {
            handling.run();
        } finally {
            handled.remove();
        }
    }

    @Override
    public Faults sending(WireMessage message) {
        return new Faults() {
            @Override
            public void reached(Point point) {
                Operation operation = point.operation().isOfPublication() ? Operation.SEND : point.operation();
                faults.reached(new Point(point.moment(), operation, String.valueOf(message.type())));
            }

            @Override
            public void asksStore() {
                faults.asksStore();
            }
        };
    }

    @Override
    public void reached(Point point) {
        String type = handled.get();
        faults.reached(type == null ? point : new Point(point.moment(), point.operation(), type));
    }

    @Override
    public void asksStore() {
        faults.asksStore();
    }
}
