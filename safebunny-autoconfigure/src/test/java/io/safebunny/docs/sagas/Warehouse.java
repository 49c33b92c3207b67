// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.docs.sagas.Messages.ReleaseStock;
import io.safebunny.docs.sagas.Messages.ReserveStock;
import io.safebunny.docs.sagas.Messages.StockReserved;
import org.springframework.stereotype.Component;

@Component
class Warehouse {

    /** The rows of the warehouse's database. */
    interface Stock {
        void reserve(String order);

        void release(String order);
    }

    private final Stock stock;
    private final Bunny bunny;

    Warehouse(Stock stock, Bunny bunny) {
        this.stock = stock;
        this.bunny = bunny;
    }

    @BunnyHandler(from = "orders")
    void on(ReserveStock command) {
        stock.reserve(command.order());
        bunny.publish(new StockReserved(command.order()));
    }

    @BunnyHandler(from = "orders")
    void on(ReleaseStock undo) {
        stock.release(undo.order()); // in the database: whatever is reserved for the order, perhaps nothing
    }
}
