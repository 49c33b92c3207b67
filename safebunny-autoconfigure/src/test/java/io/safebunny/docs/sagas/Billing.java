// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.docs.sagas.Messages.Capture;
import io.safebunny.docs.sagas.Messages.Captured;
import io.safebunny.docs.sagas.Messages.Declined;
import io.safebunny.docs.sagas.Messages.Refund;
import org.springframework.stereotype.Component;

@Component
class Billing {

    /** A payment provider, which takes idempotency keys. */
    interface Gateway {
        boolean charge(String order, long cents, String idempotencyKey);

        void refundIfCharged(String order, String idempotencyKey);
    }

    private final Gateway gateway;
    private final Bunny bunny;

    Billing(Gateway gateway, Bunny bunny) {
        this.gateway = gateway;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "orders")
    void on(Capture command, MessageContext context) {
        boolean charged = context.once(
                "charge", Boolean.class, () -> gateway.charge(command.order(), command.cents(), context.messageId()));
        bunny.publish(charged ? new Captured(command.order()) : new Declined(command.order()));
    }

    @BunnyHandler(from = "orders")
    void on(Refund undo, MessageContext context) {
        context.once("refund", () -> gateway.refundIfCharged(undo.order(), context.messageId()));
    }
}
