// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sharding;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;

/** A type that is divided among instances. */
class DividedStock {

    /** Where people see what is left. */
    interface Shelf {
        void show(String article, int left);
    }

    @BunnyMessage(orderBy = "article")
    record StockChanged(String article, int left) {}

    private final Shelf shelf;

    DividedStock(Shelf shelf) {
        this.shelf = shelf;
    }

    @BunnyHandler(from = "warehouse", ordered = true, shards = "16", listen = "${stock.listen:0-15}", prefetch = "64")
    void on(StockChanged change) {
        shelf.show(change.article(), change.left());
    }
}
