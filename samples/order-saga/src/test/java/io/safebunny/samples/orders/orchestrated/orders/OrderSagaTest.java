// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.SagaStatus;
import io.safebunny.samples.orders.messages.OrderLine;
import io.safebunny.samples.orders.messages.OrderNews;
import io.safebunny.samples.orders.messages.OrderPlaced;
import io.safebunny.samples.orders.messages.PlaceOrder;
import io.safebunny.samples.orders.orchestrated.messages.Capture;
import io.safebunny.samples.orders.orchestrated.messages.Captured;
import io.safebunny.samples.orders.orchestrated.messages.Declined;
import io.safebunny.samples.orders.orchestrated.messages.Refund;
import io.safebunny.samples.orders.orchestrated.messages.ReleaseStock;
import io.safebunny.samples.orders.orchestrated.messages.ReserveStock;
import io.safebunny.samples.orders.orchestrated.messages.ShipGoods;
import io.safebunny.samples.orders.orchestrated.messages.Shipped;
import io.safebunny.samples.orders.orchestrated.messages.SoldOut;
import io.safebunny.samples.orders.orchestrated.messages.StockReserved;
import io.safebunny.test.SagaScenario;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderSagaTest {

    private static final Duration PAY_WITHIN = Duration.ofMinutes(15);
    private static final List<OrderLine> LINES = List.of(new OrderLine("hay", 2, 450));

    private final SagaScenario order = SagaScenario.of(bunny -> new OrderSaga(bunny, PAY_WITHIN))
            .when("storefront", new PlaceOrder("7", "Ada", LINES, "tok_visa"));

    @Test
    void reservesThenChargesThenShips() {
        assertThat(order).published(new ReserveStock("7", LINES, 900)).published(OrderPlaced.class);

        order.when("shipping", new StockReserved("7"));
        assertThat(order).publishedLast(new Capture("7", "tok_visa", 900)).timeout("payment", PAY_WITHIN);

        order.when("billing", new Captured("7"));
        assertThat(order).publishedLast(new ShipGoods("7", 900)).noTimeouts();

        order.when("shipping", new Shipped("7"));
        assertThat(order).publishedLast(OrderNews.completed("7", "Ada")).status(SagaStatus.COMPLETED);
    }

    @Test
    void anAnswerThatComesTwiceCountsOnce() {
        order.when("shipping", new StockReserved("7")).repeat();

        assertThat(order).published(Capture.class, 1).status(SagaStatus.ACTIVE);
    }

    @Test
    void aPaymentThatIsLateIsUndoneBeforeTheStock() {
        order.when("shipping", new StockReserved("7")).advance(PAY_WITHIN);

        assertThat(order)
                .status(SagaStatus.FAILED)
                .reason(OrderSaga.TOO_LATE)
                .published(new Refund("7", 900))
                .published(new ReleaseStock("7", 900))
                .undone("stock", "pay");
    }

    @Test
    void thereIsNothingToRefundWhenTheCardWasDeclined() {
        order.when("shipping", new StockReserved("7")).when("billing", new Declined("7"));

        assertThat(order).status(SagaStatus.FAILED).never(Refund.class).published(ReleaseStock.class, 1);
    }

    @Test
    void whatIsSoldOutIsNeitherChargedNorReleased() {
        order.when("shipping", new SoldOut("7", "hay"));

        assertThat(order)
                .status(SagaStatus.FAILED)
                .reason("hay is sold out")
                .never(Capture.class)
                .never(ReleaseStock.class);
    }
}
