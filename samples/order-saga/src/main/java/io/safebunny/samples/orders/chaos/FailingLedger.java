// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.chaos;

import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;

/**
 * Fails before a row is written or after it, and the handler with it. Always inside the handler's transaction, so the
 * row is rolled back. Never after the commit: between an effect and the record that its message is done lies a window
 * that closes only when both are one transaction, which needs the store in the same database.
 * {@code docs/guarantees.md} says so, and a demo that pretended otherwise would prove nothing.
 */
record FailingLedger(Ledger ledger, Chaos chaos) implements Ledger {

    private static final double SHARE = 0.05;

    @Override
    public void record(Effect effect, String orderId, String messageId, long amountCents) {
        chaos.strike("before " + effect, messageId, SHARE);
        ledger.record(effect, orderId, messageId, amountCents);
        chaos.strike("after " + effect, messageId, SHARE);
    }
}
