// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.transport.Delivery;
import java.time.Duration;
import java.util.function.Consumer;

/** How a delivery ends. Immutable. */
public final class Settlement {

    /** The message is done, or its copy is confirmed elsewhere. */
    public static final Settlement ACKNOWLEDGE = new Settlement("acknowledge", Delivery::acknowledge);

    /** The message could neither be finished nor moved: it stays in its queue and is delivered again. */
    public static final Settlement HAND_BACK = new Settlement("hand back", Delivery::handBack);

    /** The broker refuses the copy: the broker itself moves the message towards the poison queue. */
    public static final Settlement REJECT = new Settlement("reject", Delivery::reject);

    private final String name;
    private final Consumer<Delivery> settling;

    private Settlement(String name, Consumer<Delivery> settling) {
        this.name = name;
        this.settling = settling;
    }

    /** The message is handled in order, and keeps its place in its queue until it is delivered again. */
    public static Settlement keep(Duration pause) {
        return new Settlement("keep for " + pause, delivery -> delivery.keep(pause));
    }

    /** Whether the same message is delivered again. */
    public boolean isReturn() {
        return this != ACKNOWLEDGE && this != REJECT;
    }

    public void settle(Delivery delivery) {
        settling.accept(delivery);
    }

    @Override
    public String toString() {
        return name;
    }
}
