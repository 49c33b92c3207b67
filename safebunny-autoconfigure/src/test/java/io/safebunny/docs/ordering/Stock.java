// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.ordering;

import io.safebunny.BunnyHandler;
import org.springframework.stereotype.Component;

@Component
class Stock {

    private final Shelf shelf;

    Stock(Shelf shelf) {
        this.shelf = shelf;
    }

    @BunnyHandler(
            from = "warehouse",
            ordered = true,
            delayedRetries = {"10s", "1m"})
    void on(StockChanged change) {
        shelf.show(change.article(), change.left());
    }
}
