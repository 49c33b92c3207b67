// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Delegates everything to another delivery. Extend it to wrap a delivery: a wrapper that implements {@link Delivery} directly may
 * miss {@link #refusal}. As thread-safe as the other delivery.
 */
public abstract class ForwardingDelivery implements Delivery {

    protected final Delivery delivery;

    protected ForwardingDelivery(Delivery delivery) {
        this.delivery = delivery;
    }

    @Override
    public IncomingMessage message() {
        return delivery.message();
    }

    @Override
    public @Nullable Throwable refusal() {
        return delivery.refusal();
    }

    @Override
    public boolean isOpen() {
        return delivery.isOpen();
    }

    @Override
    public void acknowledge() {
        delivery.acknowledge();
    }

    @Override
    public void handBack() {
        delivery.handBack();
    }

    @Override
    public void keep(Duration pause) {
        delivery.keep(pause);
    }

    @Override
    public void reject() {
        delivery.reject();
    }
}
