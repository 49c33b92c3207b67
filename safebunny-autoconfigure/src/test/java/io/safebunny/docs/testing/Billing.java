// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import java.time.Duration;
import org.springframework.stereotype.Component;

@Component
class Billing {

    private final Bunny bunny;
    private final Bank bank;

    Billing(Bunny bunny, Bank bank) {
        this.bunny = bunny;
        this.bank = bank;
    }

    @BunnyHandler(from = "storefront")
    void on(OrderPlaced placed, MessageContext context) {
        bank.charge(placed.order(), context.messageId());
        bunny.publish(new PaymentCaptured(placed.order()));
        bunny.publish(new ReceiptDue(placed.order()), PublishOptions.none().withDelay(Duration.ofDays(7)));
    }

    @BunnyHandler(from = "billing")
    void on(ReceiptDue due, MessageContext context) {
        bank.sendReceipt(due.order(), context.messageId());
    }
}
