// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import io.safebunny.MessageContext;

/**
 * A ledger kept by somebody else: calling it is a side effect that the handler's transaction cannot undo. So the call is a step:
 * an attempt after a failure or a crash gets the stored result instead of calling again.
 *
 * <p>The process can still die between the call and the storing of its result. Then the call is repeated, and the other side
 * recognises it by the message id.
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

    @Override
    public boolean has(Effect effect, String orderId) {
        return service.has(effect, orderId);
    }
}
