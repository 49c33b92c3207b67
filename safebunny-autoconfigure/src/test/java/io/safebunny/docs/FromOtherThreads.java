// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import java.util.List;

/** The listing of docs/publishing.md. */
class FromOtherThreads {

    record Line(String sku) {}

    record OrderPlaced(String orderId, List<Line> lines) {}

    record ReserveItem(String sku) {}

    @BunnyHandler(from = "orders")
    void on(OrderPlaced order, MessageContext context) {
        Bunny publisher = context.publisher();
        order.lines().parallelStream()
                .forEach(line -> publisher.publish(
                        new ReserveItem(line.sku()), PublishOptions.none().withIdempotencyKey(line.sku())));
    }
}
