// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.notifications;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderCancelled;
import io.safebunny.samples.orders.messages.OrderCompleted;
import io.safebunny.samples.orders.messages.OrderPlaced;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Sends two mails per order: one when it is accepted, one when it has ended. */
@Component
@Transactional
@BunnyHandler(from = "orders")
class Postman {

    private final Ledger ledger;

    Postman(Ledger ledger) {
        this.ledger = ledger;
    }

    @BunnyHandler
    void on(OrderPlaced order, MessageContext context) {
        mail(Effect.MAIL_RECEIVED, order.orderId(), context);
    }

    @BunnyHandler
    void on(OrderCompleted order, MessageContext context) {
        mail(Effect.MAIL_OUTCOME, order.orderId(), context);
    }

    @BunnyHandler
    void on(OrderCancelled order, MessageContext context) {
        mail(Effect.MAIL_OUTCOME, order.orderId(), context);
    }

    private void mail(Effect mail, String orderId, MessageContext context) {
        ledger.record(mail, orderId, context, 0);
    }
}
