// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orders;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.OrderShipped;
import io.safebunny.samples.orders.messages.PaymentDeclined;
import io.safebunny.samples.orders.messages.PaymentRefunded;
import io.safebunny.samples.orders.messages.PlaceOrder;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Handles the beginning and the end of an order. What happens in between is up to billing and shipping. */
@Component
@Transactional
class OrderDesk {

    private final Ledger ledger;
    private final Bunny bunny;

    OrderDesk(Ledger ledger, Bunny bunny) {
        this.ledger = ledger;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "storefront")
    void on(PlaceOrder order, MessageContext context) {
        ledger.record(Effect.ACCEPTED, order.orderId(), context, order.totalCents());
        bunny.publish(
                OrderNews.accepted(order.orderId(), order.customer())); // sent before anything can come of the order
        bunny.publish(new OrderPlaced(
                order.orderId(), order.customer(), order.lines(), order.cardToken(), order.totalCents()));
    }

    @BunnyHandler(from = "shipping")
    void on(OrderShipped shipped, MessageContext context) {
        ledger.record(Effect.COMPLETED, shipped.orderId(), context, 0);
        bunny.publish(OrderNews.completed(shipped.orderId(), shipped.customer()));
    }

    @BunnyHandler(from = "billing")
    void on(PaymentDeclined declined, MessageContext context) {
        cancel(declined.orderId(), declined.customer(), "the card was declined", context);
    }

    @BunnyHandler(from = "billing")
    void on(PaymentRefunded refunded, MessageContext context) {
        cancel(refunded.orderId(), refunded.customer(), refunded.reason(), context);
    }

    private void cancel(String orderId, String customer, String reason, MessageContext context) {
        ledger.record(Effect.CANCELLED, orderId, context, 0);
        bunny.publish(OrderNews.cancelled(orderId, customer, reason));
    }
}
