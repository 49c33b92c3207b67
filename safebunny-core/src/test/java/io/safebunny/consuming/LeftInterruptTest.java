// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.Published;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.middleware.ConsumeMiddleware;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An interrupt that user code leaves behind is for nobody: it fails neither the completion nor what is sent after it. */
class LeftInterruptTest {

    @AfterEach
    void clear() {
        boolean unused = Thread.interrupted();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void ofAMiddlewareFailsNothing(boolean before, boolean remembers) {
        ConsumeMiddleware leaving = (context, next) -> {
            next.run();
            Thread.currentThread().interrupt();
        };
        Node node = new Node(remembers, Node.SIX_ATTEMPTS, before ? leaving : new After(leaving));
        node.handler = (payload, context) -> {
            Published unused = node.bunny().publish(new PaymentCaptured("o-1"));
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.published()).hasSize(1);
        assertThat(node.transport.returned()).isEmpty();
        assertThat(node.breakers.state(OrderPlaced.class)).isEqualTo(State.CLOSED);
    }
}
