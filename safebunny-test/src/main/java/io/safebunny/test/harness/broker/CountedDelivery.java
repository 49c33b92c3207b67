// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import io.safebunny.transport.Delivery;
import io.safebunny.transport.ForwardingDelivery;
import java.util.concurrent.atomic.AtomicBoolean;

/** A delivery that reports its settlement to {@link Arrivals}. Thread-safe. */
final class CountedDelivery extends ForwardingDelivery {

    private final Arrivals arrivals;
    private final AtomicBoolean settled = new AtomicBoolean();

    CountedDelivery(Delivery delivery, Arrivals arrivals) {
        super(delivery);
        this.arrivals = arrivals;
    }

    String id() {
        return String.valueOf(message().message().messageId());
    }

    String queue() {
        return message().queue();
    }

    /** Whether the broker took the delivery back without notice. */
    boolean isLost() {
        return !settled.get() && !delivery.isOpen();
    }

    /** Call when the handler of the delivery has returned. */
    void end() {
        if (isLost()) {
            arrivals.putBack(this);
        }
    }

    @Override
    public void acknowledge() {
        settle(() -> arrivals.settle(this), delivery::acknowledge);
    }

    @Override
    public void handBack() {
        settle(() -> arrivals.putBack(this), delivery::handBack);
    }

    @Override
    public void reject() {
        settle(() -> arrivals.setAside(this), delivery::reject);
    }

    /** Settles. The settlement is counted before, because the broker may react before this returns. */
    private void settle(Runnable count, Runnable tell) {
        boolean isOpen = delivery.isOpen();
        if (settled.compareAndSet(false, true)) {
            if (isOpen) {
                count.run();
            } else {
                arrivals.putBack(this);
            }
        }
        tell.run();
    }
}
