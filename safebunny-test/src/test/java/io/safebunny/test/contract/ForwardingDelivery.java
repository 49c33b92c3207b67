// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.IncomingMessage;
import org.jspecify.annotations.Nullable;

/** Does what another delivery does, until a subclass breaks it. */
class ForwardingDelivery implements Delivery {

    final Delivery sound;

    ForwardingDelivery(Delivery sound) {
        this.sound = sound;
    }

    @Override
    public IncomingMessage message() {
        return sound.message();
    }

    @Override
    public boolean isOpen() {
        return sound.isOpen();
    }

    @Override
    public void acknowledge() {
        sound.acknowledge();
    }

    @Override
    public void handBack() {
        sound.handBack();
    }

    @Override
    public @Nullable Throwable refusal() {
        return sound.refusal();
    }

    @Override
    public void reject() {
        sound.reject();
    }
}
