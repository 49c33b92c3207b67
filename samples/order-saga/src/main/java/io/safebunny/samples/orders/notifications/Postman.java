// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.notifications;

import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderNews;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Sends two mails per order: one when it is accepted, one when it has ended. Nobody hears of the end first: the news of one order, whose
 * messages have one correlation id, is handled in order, also when the first mail has to be tried again.
 */
@Component
@Transactional
class Postman {

    private final Ledger ledger;

    Postman(Ledger ledger) {
        this.ledger = ledger;
    }

    @BunnyHandler(from = "orders", ordered = true)
    void on(OrderNews news, MessageContext context) {
        Effect mail = news.stage() == OrderNews.Stage.ACCEPTED ? Effect.MAIL_RECEIVED : Effect.MAIL_OUTCOME;
        ledger.record(mail, news.orderId(), context, 0);
    }
}
