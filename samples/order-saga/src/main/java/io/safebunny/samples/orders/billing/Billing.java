// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.OutOfStock;
import io.safebunny.samples.orders.messages.PaymentCaptured;
import io.safebunny.samples.orders.messages.PaymentDeclined;
import io.safebunny.samples.orders.messages.PaymentRefunded;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Takes the money, and gives it back when there is nothing to ship. */
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
    void on(OrderPlaced order, MessageContext context) {
        // done once, also after a failure or a crash; if it is repeated all the same, the bank recognises the charge by
        // its key
        boolean granted = context.once(
                "charge",
                Boolean.class,
                () -> gateway.charge(context.messageId(), order.orderId(), order.cardToken(), order.totalCents()));
        if (!granted) {
            bunny.publish(new PaymentDeclined(order.orderId(), order.customer()));
            return;
        }
        ledger.record(Effect.CHARGE, order.orderId(), context, order.totalCents());
        bunny.publish(new PaymentCaptured(order.orderId(), order.customer(), order.lines(), order.totalCents()));
    }

    /** The compensation of the charge. */
    @BunnyHandler(from = "shipping")
    void on(OutOfStock missing, MessageContext context) {
        ledger.record(Effect.REFUND, missing.orderId(), context, -missing.totalCents());
        bunny.publish(new PaymentRefunded(missing.orderId(), missing.customer(), missing.sku() + " is sold out"));
    }
}
