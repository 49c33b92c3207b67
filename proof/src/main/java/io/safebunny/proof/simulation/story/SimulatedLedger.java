// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.simulation.story;

import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.test.simulation.Effects;
import io.safebunny.test.simulation.SimulatedNode;

/** The sample's ledger as somebody else keeps it, who recognises a repeated call by its key. */
record SimulatedLedger(SimulatedNode node, Effects effects) implements Ledger {

    @Override
    public void record(Effect effect, String orderId, MessageContext cause, long amountCents) {
        cause.once(effect.name(), () -> node.perform(effect + " " + orderId, cause.messageId()));
    }

    @Override
    public boolean has(Effect effect, String orderId) {
        return effects.count(effect + " " + orderId) > 0;
    }
}
