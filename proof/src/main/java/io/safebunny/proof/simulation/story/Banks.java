// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import io.safebunny.PoisonMessageException;
import io.safebunny.samples.orders.billing.PaymentGateway;
import io.safebunny.test.simulation.Effects;
import io.safebunny.test.simulation.SimulatedNode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** The sample's bank, as it is and otherwise. */
public final class Banks {

    private Banks() {}

    /** Charges once for each key. */
    public static PaymentGateway good(SimulatedNode node) {
        return (key, order, card, cents) -> {
            node.perform("charge " + order, key);
            return true;
        };
    }

    /** Takes its time. */
    public static PaymentGateway slow(SimulatedNode node, Duration time) {
        return (key, order, card, cents) -> {
            sleep(node, time);
            return good(node).charge(key, order, card, cents);
        };
    }

    private static void sleep(SimulatedNode node, Duration time) {
        try {
            node.timeline().sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the bank thinks", e);
        }
    }

    /** Knows no idempotency keys and declines a repeated call, so a repeated attempt ends differently from the first one. */
    public static PaymentGateway moody(SimulatedNode node, Effects effects) {
        return (key, order, card, cents) -> {
            boolean isFirst = effects.count("ask " + order) == 0;
            node.perform("ask " + order);
            return isFirst;
        };
    }

    /** Refuses every card until an operator has fixed the cause. */
    public static PaymentGateway shut(SimulatedNode node, AtomicBoolean mended) {
        return (key, order, card, cents) -> {
            if (!mended.get()) {
                throw new PoisonMessageException("the bank does not know us");
            }
            return good(node).charge(key, order, card, cents);
        };
    }
}
