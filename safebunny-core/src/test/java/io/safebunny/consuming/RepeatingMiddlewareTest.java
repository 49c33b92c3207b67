// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.fixture.PaymentCaptured;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/middleware.md: calling next again runs the rest again. */
class RepeatingMiddlewareTest {

    private final AtomicReference<Bunny> instead = new AtomicReference<>();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theHandlerGetsTheResultOfItsStepWhenItIsRunAgain(boolean remembers) {
        AtomicInteger charges = new AtomicInteger();
        Node node = new Node(remembers, Node.ONE_ATTEMPT, (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                next.run();
            }
        });
        node.handler = (payload, context) -> {
            Integer charge = context.once("charge", Integer.class, charges::incrementAndGet);
            assertThat(charge).isEqualTo(1);
            if (node.runs.get() == 1) {
                throw new IOException("after the charge");
            }
        };
        node.deliver();

        assertThat(node.runs).hasValue(2);
        assertThat(charges).hasValue(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    /** One handling publishes once, with the ids of a first run. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatARunPublishedIsForgottenWhenItIsRepeatedAlthoughItSucceeded(boolean remembers) {
        AtomicReference<String> first = new AtomicReference<>();
        Node node = new Node(remembers, Node.ONE_ATTEMPT, (context, next) -> {
            next.run();
            next.run();
        });
        node.handler = (payload, context) -> {
            String id = node.bunny().publish(new PaymentCaptured("o-1")).messageId();
            first.compareAndSet(null, id);
        };
        node.deliver();

        assertThat(node.runs).hasValue(2);
        assertThat(node.transport.published()).singleElement().satisfies(published -> assertThat(
                        published.message().messageId())
                .isEqualTo(first.get()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAMiddlewarePublishesInsteadOfAFailedRunIsSent(boolean remembers) {
        Node swallowing = new Node(remembers, Node.SIX_ATTEMPTS, (context, next) -> {
            try {
                next.run();
            } catch (IOException e) {
                Published unused = Objects.requireNonNull(instead.get()).publish(new PaymentCaptured("declined"));
            }
        });
        instead.set(swallowing.bunny());
        swallowing.handler = (payload, context) -> {
            Published unused = swallowing.bunny().publish(new PaymentCaptured("o-1"));
            throw new IOException("declined");
        };
        swallowing.deliver();

        assertThat(swallowing.runs).hasValue(3);
        assertThat(swallowing.transport.published()).singleElement().satisfies(published -> assertThat(
                        new String(published.message().body(), UTF_8))
                .contains("declined"));
    }
}
