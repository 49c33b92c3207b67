// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import org.jspecify.annotations.Nullable;

/** Paces the consumption of a type: as the breaker's state asks, and not at all while it is held. Guarded by the breaker's lock. */
final class Pacing {

    private @Nullable Consumption consumption;
    private Pace wanted = Pace.FULL;
    private boolean held;

    /** @param paced {@code null} to leave the last one as it is */
    void paces(@Nullable Consumption paced) {
        consumption = paced;
        set();
    }

    /** Paces as this state of the breaker asks. */
    void follow(State state) {
        want(
                switch (state) {
                    case CLOSED -> Pace.FULL;
                    case HALF_OPEN -> Pace.ONE_BY_ONE;
                    case OPEN -> Pace.PAUSED;
                });
    }

    void want(Pace pace) {
        wanted = pace;
        set();
    }

    void hold(boolean hold) {
        held = hold;
        set();
    }

    private void set() {
        if (consumption != null) {
            consumption.pace(held ? Pace.PAUSED : wanted);
        }
    }
}
