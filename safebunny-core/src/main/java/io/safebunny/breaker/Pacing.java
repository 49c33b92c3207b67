// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import org.jspecify.annotations.Nullable;

/**
 * Sets the pace at which a type is consumed: the pace that fits the breaker's state, or paused while the type is held, or enough of its
 * messages wait. Guarded by the
 * breaker's lock.
 */
final class Pacing {

    private @Nullable Consumption consumption;
    private Pace wanted = Pace.FULL;
    private boolean held;
    private boolean isEnough;

    /** @param paced the consumption; {@code null} to leave the previous one at its pace */
    void paces(@Nullable Consumption paced) {
        consumption = paced;
        set();
    }

    /** Sets the pace that fits this state of the breaker. */
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

    void enough(boolean delivered) {
        isEnough = delivered;
        set();
    }

    private void set() {
        if (consumption != null) {
            consumption.pace(held || isEnough ? Pace.PAUSED : wanted);
        }
    }
}
