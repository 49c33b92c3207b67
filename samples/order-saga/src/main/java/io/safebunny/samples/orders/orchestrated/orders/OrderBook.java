// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.orders;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.samples.orders.ledger.Effect;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.orchestrated.orders.OrderSaga.State;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** Notes what became of each order, and announces those that came to nothing. It listens to its own node, as any other may. */
@Component
@Transactional
@BunnyHandler(from = "orders")
class OrderBook {

    private final Ledger ledger;
    private final Bunny bunny;
    private final Sagas sagas;

    OrderBook(Ledger ledger, Bunny bunny, Sagas sagas) {
        this.ledger = ledger;
        this.bunny = bunny;
        this.sagas = sagas;
    }

    @BunnyHandler
    void on(OrderPlaced order, MessageContext context) {
        ledger.record(Effect.ACCEPTED, order.orderId(), context, order.totalCents());
    }

    @BunnyHandler
    void on(OrderNews news, MessageContext context) {
        if (news.stage() == OrderNews.Stage.COMPLETED) { // the rest is noted by the other handlers
            ledger.record(Effect.COMPLETED, news.orderId(), context, 0);
        }
    }

    /** Everything is undone. The event names only the saga; whose order it was is in the saga's state. */
    @BunnyHandler
    void on(SagaFailed failed, MessageContext context) {
        State order = sagas.find(failed.saga(), failed.sagaId())
                .map(SagaView::state)
                .map(json -> JsonMapper.shared().readValue(json, State.class))
                .orElseThrow();
        if (failed.reason().equals(OrderSaga.TOO_LATE)) {
            ledger.record(Effect.TIMEOUT, order.orderId(), context, 0);
        }
        ledger.record(Effect.CANCELLED, order.orderId(), context, 0);
        bunny.publish(OrderNews.cancelled(order.orderId(), order.customer(), failed.reason()));
    }
}
