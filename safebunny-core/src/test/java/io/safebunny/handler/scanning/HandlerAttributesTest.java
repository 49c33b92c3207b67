// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyRetry;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HandlerAttributesTest {

    static class SaysNothing {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void fallsBackToTheProperties() {
        HandlerDefinition handler = one(Map.of(), SaysNothing.class);

        assertThat(handler.prefetch()).isEqualTo(10);
        assertThat(handler.grouping()).isEqualTo(Grouping.inTransaction(1));
        assertThat(handler.recovery())
                .isEqualTo(RecoveryPolicy.of(
                        RetryStrategy.after(Duration.ofMillis(100), Duration.ofMillis(200)),
                        RetryStrategy.after(Duration.ofSeconds(10))));
    }

    @BunnyHandler(
            from = {"orders", "storefront"},
            prefetch = "5",
            messagesPerTransaction = "16",
            retry = @BunnyRetry(maxRetries = "1", initialInterval = "50ms"),
            delayedRetries = {"1s", "1m"},
            retryFor = IOException.class)
    static class ClassDefaults {
        @BunnyHandler
        void inherits(OrderPlaced event) {
            assertThat(event).isNotNull();
        }

        @BunnyHandler(
                from = "billing",
                prefetch = "1",
                messagesPerTransaction = "1",
                retry = @BunnyRetry(maxRetries = "0"),
                delayedRetries = "none",
                retryFor = IllegalStateException.class,
                noRetryFor = FileNotFoundException.class)
        void overrides(PaymentCaptured event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void takesFromTheClassWhatTheMethodDoesNotSay() {
        HandlerDefinition handler = ofType("OrderPlaced");

        assertThat(handler.from()).containsExactly("orders", "storefront");
        assertThat(handler.prefetch()).isEqualTo(5);
        assertThat(handler.grouping()).isEqualTo(Grouping.inTransaction(16));
        assertThat(handler.recovery().inMemory()).isEqualTo(RetryStrategy.after(Duration.ofMillis(50)));
        assertThat(handler.recovery().delayed())
                .isEqualTo(RetryStrategy.after(Duration.ofSeconds(1), Duration.ofMinutes(1)));
        assertThat(handler.recovery().retryFor()).isEqualTo(List.of(IOException.class));
    }

    @Test
    void prefersWhatTheMethodSays() {
        HandlerDefinition handler = ofType("PaymentCaptured");

        assertThat(handler.from()).containsExactly("billing");
        assertThat(handler.prefetch()).isEqualTo(1);
        assertThat(handler.grouping()).isEqualTo(Grouping.inTransaction(1));
        assertThat(handler.recovery().inMemory().maxRetries()).isZero();
        assertThat(handler.recovery().delayed()).isEqualTo(RetryStrategy.none());
        assertThat(handler.recovery().retryFor()).isEqualTo(List.of(IllegalStateException.class));
        assertThat(handler.recovery().noRetryFor()).isEqualTo(List.of(FileNotFoundException.class));
    }

    private static HandlerDefinition ofType(String type) {
        try (Handlers handlers = new Handlers(ClassDefaults.class)) {
            return handlers.scan().stream()
                    .filter(handler -> handler.type().equals(type))
                    .findFirst()
                    .orElseThrow();
        }
    }

    static class Placeholders {
        @BunnyHandler(
                from = "${billing.upstream}",
                prefetch = "${billing.prefetch}",
                retry =
                        @BunnyRetry(
                                maxRetries = "${billing.retries}",
                                multiplier = "${billing.multiplier:3}",
                                maxInterval = "PT2S"),
                delayedRetries = "${billing.delays:2s,3s}")
        void on(OrderPlaced event) {
            assertThat(event).isNotNull();
        }
    }

    @Test
    void resolvesPlaceholdersAndLists() {
        HandlerDefinition handler = one(
                Map.of(
                        "billing.upstream", "orders, storefront,orders",
                        "billing.prefetch", 25,
                        "billing.retries", "3"),
                Placeholders.class);

        assertThat(handler.from()).containsExactly("orders", "storefront");
        assertThat(handler.prefetch()).isEqualTo(25);
        assertThat(handler.recovery().inMemory())
                .isEqualTo(RetryStrategy.after(Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofMillis(900)));
        assertThat(handler.recovery().delayed())
                .isEqualTo(RetryStrategy.after(Duration.ofSeconds(2), Duration.ofSeconds(3)));
    }

    private static HandlerDefinition one(Map<String, Object> properties, Class<?> component) {
        try (Handlers handlers = new Handlers(properties, component)) {
            return handlers.one();
        }
    }
}
