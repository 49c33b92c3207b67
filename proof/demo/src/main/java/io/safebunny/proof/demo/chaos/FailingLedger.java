// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;

/**
 * Fails before or after a row is written, and the handler with it: a row of the handler's transaction is then rolled back, while
 * a call to the outside has happened. Never fails between the commit of a transaction and the record that its message is done:
 * that window is closed only when both are one transaction, which needs the store in the same database, and testing it takes more
 * than an exception: {@code bin/demo --kill} does it. {@code docs/guarantees.md} has the long version.
 */
record FailingLedger(Ledger ledger, Chaos chaos) implements Ledger {

    private static final double SHARE = 0.05;

    @Override
    public void record(Effect effect, String orderId, MessageContext cause, long amountCents) {
        chaos.strike("before " + effect, cause.messageId(), SHARE);
        ledger.record(effect, orderId, cause, amountCents);
        chaos.strike("after " + effect, cause.messageId(), SHARE);
    }

    @Override
    public boolean has(Effect effect, String orderId) {
        return ledger.has(effect, orderId);
    }
}
