// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Duplicate;
import io.safebunny.failure.policy.Ending.Handled;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.Observations;
import io.safebunny.poison.queue.Settlement;

/** The ending of a delivery, or what the broker made of it, and how the delivery is settled. */
record Settled(Ending ending, Settlement how) {

    /** The outcome tag of meters and spans. */
    String outcome() {
        if (how.isReturn()) {
            return Observations.RETURNED;
        }
        if (ending instanceof Handled handled) {
            Poisoned otherwise = handled.expired();
            if (otherwise == null) {
                return Observations.HANDLED;
            }
            return otherwise.reason() == PoisonReason.SHREDDED ? Observations.SHREDDED : Observations.EXPIRED;
        }
        if (ending instanceof Poisoned) {
            return Observations.POISONED;
        }
        if (ending instanceof Retried) {
            return Observations.RETRIED;
        }
        return ending instanceof Duplicate ? Observations.DUPLICATE : Observations.RETURNED;
    }
}
