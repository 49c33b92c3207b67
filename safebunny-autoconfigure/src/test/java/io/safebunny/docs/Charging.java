// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.docs.GuideListingsTest.Gateway;
import io.safebunny.docs.GuideListingsTest.OrderPlaced;
import io.safebunny.docs.GuideListingsTest.PaymentCaptured;
import org.springframework.stereotype.Component;

@Component
class Charging {

    private final Bunny bunny;
    private final Gateway gateway;

    Charging(Bunny bunny, Gateway gateway) {
        this.bunny = bunny;
        this.gateway = gateway;
    }

    @BunnyHandler(from = "orders")
    void on(OrderPlaced order, MessageContext context) {
        String receipt = context.once(
                "charge", String.class, () -> gateway.charge(order.orderId(), order.totalCents(), context.messageId()));
        bunny.publish(new PaymentCaptured(order.orderId(), receipt));
    }
}
