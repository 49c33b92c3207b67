// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.docs.GuideListingsTest.OrderPlaced;

/** Handles messages of one node and publishes them as another. */
class Bridge {

    private final Bunny second;

    Bridge(Bunny second) {
        this.second = second;
    }

    @BunnyHandler(from = "orders")
    void on(OrderPlaced event, MessageContext context) {
        second.publish(
                event,
                PublishOptions.none()
                        .withCorrelationId(context.correlationId())
                        .withIdempotencyKey(context.messageId()));
    }
}
