// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.transport.Consumption;
import io.safebunny.spi.transport.Pace;
import java.util.concurrent.CompletableFuture;

/** Does what the other one does; a fault overrides something. */
class ForwardingConsumption implements Consumption {

    final Consumption sound;

    ForwardingConsumption(Consumption sound) {
        this.sound = sound;
    }

    @Override
    public void pace(Pace pace) {
        sound.pace(pace);
    }

    @Override
    public CompletableFuture<Void> stop() {
        return sound.stop();
    }
}
