// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.billing;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.billing.PaymentGateway;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.orchestrated.messages.Capture;
import io.safebunny.samples.orders.orchestrated.messages.Captured;
import io.safebunny.samples.orders.orchestrated.messages.Declined;
import io.safebunny.samples.orders.orchestrated.messages.Refund;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Takes the money, and gives it back, when told to. Knows nothing of a saga. */
@Component
@Transactional
class Billing {

    private final PaymentGateway gateway;
    private final Ledger ledger;
    private final Bunny bunny;

    Billing(PaymentGateway gateway, Ledger ledger, Bunny bunny) {
        this.gateway = gateway;
        this.ledger = ledger;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "orders")
    void on(Capture command, MessageContext context) {
        boolean granted = context.once(
                "charge",
                Boolean.class,
                () -> gateway.charge(context.messageId(), command.orderId(), command.cardToken(), command.cents()));
        if (!granted) {
            bunny.publish(new Declined(command.orderId()));
            return;
        }
        ledger.record(Effect.CHARGE, command.orderId(), context, command.cents());
        bunny.publish(new Captured(command.orderId()));
    }

    /** The command may have done nothing: its answer was lost, or it was set aside. */
    @BunnyHandler(from = "orders")
    void on(Refund undo, MessageContext context) {
        if (ledger.has(Effect.CHARGE, undo.orderId())) {
            ledger.record(Effect.REFUND, undo.orderId(), context, -undo.cents());
        }
    }
}
