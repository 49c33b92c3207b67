// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.MessageContext;
import io.safebunny.OnExpired;
import io.safebunny.PublishOptions;
import java.time.Instant;
import org.springframework.stereotype.Component;

@Component
class Quotes {

    @BunnyMessage(validFor = "30s", expired = BunnyMessage.Expired.DROP)
    record PriceChanged(String article, long cents) {}

    record OfferMade(String offer, Instant until) {}

    record OfferLapsed(String offer) {}

    private final Bunny bunny;

    Quotes(Bunny bunny) {
        this.bunny = bunny;
    }

    void offer(OfferMade offer) {
        bunny.publish(offer, PublishOptions.none().withDeadline(offer.until()));
    }

    @BunnyHandler(from = "sales")
    void on(OfferMade offer, MessageContext context) {
        // …
    }

    @OnExpired
    void expired(OfferMade offer, MessageContext context) {
        bunny.publish(new OfferLapsed(offer.offer()));
    }
}
