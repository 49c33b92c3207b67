// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import io.safebunny.MessageContext;

/**
 * A ledger that somebody else keeps: a call to the outside, which no transaction of the handler undoes. So it is a step that
 * is done once: an attempt after a failure or a crash gets the stored result instead of calling again.
 *
 * <p>Between the call and the storing of its result the process can still die. Then the call is repeated, and the message's
 * id tells the other side that it is the same one.
 */
class RemoteLedger implements Ledger {

    private final LedgerService service;
    private final String node;

    RemoteLedger(LedgerService service, String node) {
        this.service = service;
        this.node = node;
    }

    @Override
    public void record(Effect effect, String orderId, MessageContext cause, long amountCents) {
        cause.once(
                effect.name(),
                () -> service.post(
                        new LedgerService.Posting(node, effect, orderId, amountCents),
                        /* idempotency key */ cause.messageId()));
    }
}
