// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.storefront;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.samples.orders.messages.PlaceOrder;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;

/**
 * Takes orders from customers. A customer who clicks twice places one order, because the message id is derived from the order id.
 */
@Component
public class Storefront {

    private final Bunny bunny;

    Storefront(Bunny bunny) {
        this.bunny = bunny;
    }

    /** Completes when the order is in the queue of the node that handles it. */
    public CompletableFuture<Published> place(PlaceOrder order) {
        return bunny.publishAsync(order, PublishOptions.none().withIdempotencyKey(order.orderId()));
    }
}
