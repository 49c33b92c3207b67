// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.shipping;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.OrderShipped;
import io.safebunny.samples.orders.messages.OutOfStock;
import io.safebunny.samples.orders.messages.PaymentCaptured;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Ships paid orders, completely or not at all. */
@Component
@Transactional
class Warehouse {

    private final Ledger ledger;
    private final Bunny bunny;

    Warehouse(Ledger ledger, Bunny bunny) {
        this.ledger = ledger;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "billing")
    void on(PaymentCaptured paid, MessageContext context) {
        Optional<String> missing = paid.lines().stream()
                .map(OrderLine::sku)
                .filter(sku -> sku.startsWith("sold-out"))
                .findFirst();
        if (missing.isPresent()) {
            bunny.publish(new OutOfStock(paid.orderId(), paid.customer(), missing.get(), paid.totalCents()));
            return;
        }
        ledger.record(Effect.SHIPMENT, paid.orderId(), context, paid.totalCents());
        bunny.publish(new OrderShipped(paid.orderId(), paid.customer()));
    }
}
