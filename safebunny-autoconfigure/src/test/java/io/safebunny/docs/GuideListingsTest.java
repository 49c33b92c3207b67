// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyRetry;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.scanning.HandlerScanner;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.transport.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.handler.annotation.Header;

/** The listings of the guides, compiled and run. */
@ExtendWith(OutputCaptureExtension.class)
class GuideListingsTest {

    static final Logger log = LoggerFactory.getLogger(GuideListingsTest.class);
    private static final HandlerDefaults DEFAULTS =
            new HandlerDefaults(10, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), RetryStrategy.none());

    record OrderPlaced(String orderId, long totalCents) {}

    record PaymentReminder(String orderId) {}

    record PaymentCaptured(String orderId, String receipt) {}

    interface Gateway {
        String charge(String orderId, long cents, String idempotencyKey);
    }

    static class WithParameters {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event, MessageContext context, @Header("tenant") String tenant) {
            // …
        }
    }

    static class WithRetries {
        @BunnyHandler(
                from = "orders",
                retry = @BunnyRetry(maxRetries = "3", initialInterval = "100ms", multiplier = "2"),
                delayedRetries = {"10s", "1m", "10m"},
                noRetryFor = IllegalArgumentException.class)
        void on(OrderPlaced event) {
            // …
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        @Order(10)
        ConsumeMiddleware timing() {
            return (context, next) -> {
                long start = System.nanoTime();
                try {
                    next.run();
                } finally {
                    log.info("{} took {} µs", context.type(), (System.nanoTime() - start) / 1_000);
                }
            };
        }

        @Bean
        ContainerCustomizer<AbstractMessageListenerContainer> queueInLog() {
            MethodInterceptor advice = invocation -> {
                Delivery delivery = (Delivery) invocation.getArguments()[1];
                MDC.put("queue", delivery.message().queue());
                try {
                    return invocation.proceed();
                } finally {
                    MDC.remove("queue");
                }
            };
            return container -> container.setAdviceChain(advice);
        }
    }

    private static HandlerDefinition scanned(Class<?> handler) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(handler)) {
            return new HandlerScanner(context.getBeanFactory(), DEFAULTS)
                    .handlers()
                    .get(0);
        }
    }

    @Test
    void theHandlersAreAccepted() {
        assertThat(scanned(WithParameters.class).from()).containsExactly("orders");

        HandlerDefinition retrying = scanned(WithRetries.class);
        int tries = (retrying.recovery().inMemory().maxRetries() + 1)
                * (retrying.recovery().delayed().maxRetries() + 1);
        assertThat(tries).as("the number in docs/handlers.md").isEqualTo(16);
    }

    @Test
    void theWaysOfPublishingWork() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory")
                .withBean(WithRetries.class)
                .withBean(Reminders.class)
                .run(context -> assertThat(publish(context.getBean(Bunny.class), Instant.EPOCH))
                        .hasSize(36));
    }

    /** Makes the reminder routable. */
    static class Reminders {
        @BunnyHandler(from = "orders")
        void on(PaymentReminder reminder) {}
    }

    private static String publish(Bunny bunny, Instant dueDate) {
        Published order = bunny.publish(new OrderPlaced("42", 1999)); // order.messageId(), order.correlationId()
        bunny.publish(new OrderPlaced("42", 1999), PublishOptions.none().withIdempotencyKey("order-42"));
        bunny.publish(new PaymentReminder("42"), PublishOptions.none().withDelay(Duration.ofDays(3)));
        bunny.publish(new PaymentReminder("43"), PublishOptions.none().withDeliverAt(dueDate));
        CompletableFuture<Published> sent = bunny.publishAsync(new OrderPlaced("43", 99));
        assertThat(sent).succeedsWithin(Duration.ofSeconds(10));
        return order.messageId();
    }

    @Test
    void theChargeIsMadeOnceThoughTheHandlerFailsAfterIt() {
        AtomicInteger charges = new AtomicInteger();
        AtomicInteger published = new AtomicInteger();
        CountDownLatch captured = new CountDownLatch(1);
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "safebunny.node=orders",
                        "safebunny.transport=memory",
                        "safebunny.store.type=memory",
                        "safebunny.retry.initial-interval=1ms")
                .withBean(Charging.class)
                .withBean(Gateway.class, () -> (order, cents, key) -> key + "/" + charges.incrementAndGet())
                .withBean(PublishMiddleware.class, () -> (context, next) -> {
                    if (context.payload() instanceof PaymentCaptured && published.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first time");
                    }
                    next.run();
                })
                .withBean(Receipts.class, () -> new Receipts(captured))
                .run(context -> {
                    context.getBean(Bunny.class).publish(new OrderPlaced("42", 1999));

                    assertThat(captured.await(10, TimeUnit.SECONDS)).isTrue();
                    assertThat(published).hasValue(2);
                    assertThat(charges).hasValue(1);
                });
    }

    record Receipts(CountDownLatch captured) {
        @BunnyHandler(from = "orders")
        void on(PaymentCaptured payment) {
            captured.countDown();
        }
    }

    @Test
    void theItemsAreReservedFromOtherThreads() {
        CountDownLatch reserved = new CountDownLatch(100);
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory")
                .withBean(FromOtherThreads.class)
                .withBean(Reservations.class, () -> new Reservations(reserved))
                .run(context -> {
                    context.getBean(Bunny.class)
                            .publish(new FromOtherThreads.OrderPlaced(
                                    "42",
                                    IntStream.range(0, 100)
                                            .mapToObj(i -> new FromOtherThreads.Line("sku-" + i))
                                            .toList()));

                    assertThat(reserved.await(10, TimeUnit.SECONDS)).isTrue();
                });
    }

    record Reservations(CountDownLatch reserved) {
        @BunnyHandler(from = "orders")
        void on(FromOtherThreads.ReserveItem item, MessageContext context) {
            if (context.marker() == 2) {
                reserved.countDown();
            }
        }
    }

    @Test
    void theOutcomesAreTold(CapturedOutput output) {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory")
                .withBean(WithRetries.class)
                .withBean(Outcomes.class)
                .run(context -> {
                    Published order = context.getBean(Bunny.class).publish(new OrderPlaced("42", 1999));
                    await().untilAsserted(() ->
                            assertThat(output.getOut()).contains("OrderPlaced %s: done".formatted(order.messageId())));
                });
    }

    @Test
    void theAlarmsGoOff(CapturedOutput output) {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory")
                .withBean(Declining.class)
                .withBean(Alarms.class)
                .run(context -> {
                    Published order = context.getBean(Bunny.class).publish(new OrderPlaced("42", 1999));
                    await().untilAsserted(() -> assertThat(output.getOut())
                            .contains("Look into orders-poison: handler-failed of queue orders-OrderPlaced")
                            .contains("OrderPlaced %s is given up: io.safebunny.PoisonMessageException"
                                    .formatted(order.messageId())));
                });
    }

    static class Declining {
        @BunnyHandler(from = "orders")
        void on(OrderPlaced event) {
            throw new PoisonMessageException("declined");
        }
    }

    @Test
    void theProviderMaintenancePausesItsType() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues("safebunny.node=orders", "safebunny.transport=memory")
                .withBean(WithRetries.class)
                .withBean(ProviderMaintenance.class)
                .run(context -> {
                    BunnyCircuitBreaker breaker = context.getBean(BunnyCircuitBreaker.class);
                    context.getBean(ProviderMaintenance.class).begins(Duration.ofHours(1));
                    assertThat(breaker.state(OrderPlaced.class)).isEqualTo(BunnyCircuitBreaker.State.OPEN);
                    context.getBean(ProviderMaintenance.class).isOver();
                    assertThat(breaker.state(OrderPlaced.class)).isEqualTo(BunnyCircuitBreaker.State.CLOSED);
                });
    }
}
