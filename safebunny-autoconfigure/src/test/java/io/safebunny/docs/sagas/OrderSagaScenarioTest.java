// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.docs.sagas.Messages.Capture;
import io.safebunny.docs.sagas.Messages.PlaceOrder;
import io.safebunny.docs.sagas.Messages.Refund;
import io.safebunny.docs.sagas.Messages.ReleaseStock;
import io.safebunny.docs.sagas.Messages.StockReserved;
import io.safebunny.saga.SagaStatus;
import io.safebunny.test.SagaScenario;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OrderSagaScenarioTest {

    private final SagaScenario order =
            SagaScenario.of(new OrderSaga(Duration.ofMinutes(15))).when("storefront", new PlaceOrder("42", 1999));

    @Test
    void asksForTheMoneyOnceTheStockIsReserved() {
        order.when("warehouse", new StockReserved("42"));

        assertThat(order)
                .publishedLast(new Capture("42", 1999))
                .state(new OrderSaga.State("42", 1999))
                .timeout("payment", Duration.ofMinutes(15));
    }

    @Test
    void undoesWhatIsNotPaidInTime() {
        order.when("warehouse", new StockReserved("42")).advance(Duration.ofMinutes(15));

        assertThat(order)
                .status(SagaStatus.FAILED)
                .reason("too late")
                .published(new Refund("42"))
                .published(new ReleaseStock("42"))
                .undone("stock", "pay");
    }
}
