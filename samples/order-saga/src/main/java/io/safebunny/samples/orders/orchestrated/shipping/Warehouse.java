// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.shipping;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.orchestrated.messages.CallOff;
import io.safebunny.samples.orders.orchestrated.messages.ReleaseStock;
import io.safebunny.samples.orders.orchestrated.messages.ReserveStock;
import io.safebunny.samples.orders.orchestrated.messages.ShipGoods;
import io.safebunny.samples.orders.orchestrated.messages.Shipped;
import io.safebunny.samples.orders.orchestrated.messages.SoldOut;
import io.safebunny.samples.orders.orchestrated.messages.StockReserved;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Keeps goods for an order, ships them, and undoes either. An undo looks for what there is to undo, which may be nothing. */
@Component
@Transactional
class Warehouse {

    private final Ledger ledger;
    private final Bunny bunny;

    Warehouse(Ledger ledger, Bunny bunny) {
        this.ledger = ledger;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "orders")
    void on(ReserveStock command, MessageContext context) {
        Optional<String> missing = command.lines().stream()
                .map(OrderLine::sku)
                .filter(sku -> sku.startsWith("sold-out"))
                .findFirst();
        if (missing.isPresent()) {
            bunny.publish(new SoldOut(command.orderId(), missing.get()));
            return;
        }
        ledger.record(Effect.RESERVATION, command.orderId(), context, command.cents());
        bunny.publish(new StockReserved(command.orderId()));
    }

    @BunnyHandler(from = "orders")
    void on(ReleaseStock undo, MessageContext context) {
        if (ledger.has(Effect.RESERVATION, undo.orderId())) {
            ledger.record(Effect.RELEASE, undo.orderId(), context, -undo.cents());
        }
    }

    @BunnyHandler(from = "orders")
    void on(ShipGoods command, MessageContext context) {
        ledger.record(Effect.SHIPMENT, command.orderId(), context, command.cents());
        bunny.publish(new Shipped(command.orderId()));
    }

    @BunnyHandler(from = "orders")
    void on(CallOff undo, MessageContext context) {
        if (ledger.has(Effect.SHIPMENT, undo.orderId())) {
            ledger.record(Effect.RETURN, undo.orderId(), context, -undo.cents());
        }
    }
}
