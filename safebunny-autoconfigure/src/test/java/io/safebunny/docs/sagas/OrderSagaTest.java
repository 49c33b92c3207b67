// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.sagas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.docs.sagas.Messages.Parcel;
import io.safebunny.docs.sagas.Messages.ParcelReturned;
import io.safebunny.docs.sagas.Messages.PlaceOrder;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The test of the guide: four nodes in one JVM, on one broker in memory. */
class OrderSagaTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** What the participants did. */
    static final class Shop implements Warehouse.Stock, Billing.Gateway {
        final List<String> effects = new CopyOnWriteArrayList<>();
        volatile boolean declines;
        volatile boolean fails;

        @Override
        public void reserve(String order) {
            effects.add("reserved");
        }

        @Override
        public void release(String order) {
            effects.add("released");
        }

        @Override
        public boolean charge(String order, long cents, String idempotencyKey) {
            effects.add(declines ? "declined" : "charged");
            if (fails) {
                throw new IllegalStateException("the answer is lost");
            }
            return !declines;
        }

        @Override
        public void refundIfCharged(String order, String idempotencyKey) {
            effects.add("refunded");
        }
    }

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SystemTimeline timeline = new SystemTimeline("broker");
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final Deque<ConfigurableApplicationContext> contexts = new ArrayDeque<>();
    private final Shop shop = new Shop();
    private Bunny storefront;
    private String payWithin = "15m";

    @BeforeEach
    void startParticipants() {
        contexts.push(start("billing", Billing.class));
        contexts.push(start("warehouse", Warehouse.class));
        contexts.push(start("storefront"));
        storefront = contexts.element().getBean(Bunny.class);
    }

    private ConfigurableApplicationContext start(String node, Class<?>... beans) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .sources(beans)
                .initializers(context -> context.getBeanFactory().registerSingleton("broker", broker))
                .initializers(context -> context.getBeanFactory().registerSingleton("shop", shop))
                .run(
                        "--safebunny.node=" + node,
                        "--safebunny.transport=memory",
                        "--safebunny.store.type=memory",
                        "--shop.pay-within=" + payWithin);
    }

    @AfterEach
    void stopNodes() {
        contexts.forEach(ConfigurableApplicationContext::close);
        threads.shutdownNow();
        timeline.close();
    }

    private SagaView ended(SagaStatus status) {
        Sagas sagas = contexts.element().getBean(Sagas.class); // of orders, which was started last
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(sagas.find("OrderSaga", "order-42"))
                .get()
                .extracting(SagaView::status)
                .isEqualTo(status));
        return sagas.find("OrderSaga", "order-42").orElseThrow();
    }

    private void placeOrder() {
        contexts.push(start("orders", OrderSaga.class));
        storefront.publish(new PlaceOrder("42", 1999), PublishOptions.none().withCorrelationId("order-42"));
    }

    @Test
    void anOrderIsPaid() {
        placeOrder();

        SagaView saga = ended(SagaStatus.COMPLETED);
        assertThat(saga.timeouts()).isEmpty();
        assertThat(saga.state()).isEqualTo("{\"order\":\"42\",\"cents\":1999}");
        assertThat(shop.effects).containsExactly("reserved", "charged");
    }

    @Test
    void aDeclinedPaymentIsUndone() {
        shop.declines = true;

        placeOrder();

        assertThat(ended(SagaStatus.FAILED).reason()).isEqualTo("declined");
        assertThat(shop.effects).containsExactly("reserved", "declined", "released");
    }

    @Test
    void aPaymentThatTakesTooLongIsUndone() {
        payWithin = "5s";
        shop.fails = true; // and is retried until the timeout

        placeOrder();

        SagaView saga = ended(SagaStatus.FAILED);
        assertThat(saga.reason()).isEqualTo("too late");
        assertThat(saga.steps())
                .extracting(SagaView.Step::status)
                .containsExactly(SagaView.StepStatus.UNDONE, SagaView.StepStatus.UNDONE);
        assertThat(shop.effects).startsWith("reserved", "charged").endsWith("refunded", "released"); // in reverse
    }

    @Test
    void anotherIdIsReadFromThePayload() {
        contexts.push(start("returns", ReturnSaga.class));
        Sagas returns = contexts.element().getBean(Sagas.class);
        contexts.stream()
                .filter(context -> "warehouse".equals(context.getEnvironment().getProperty("safebunny.node")))
                .forEach(warehouse ->
                        warehouse.getBean(Bunny.class).publish(new ParcelReturned("42", new Parcel("parcel-7"))));

        await().until(() -> returns.find("ReturnSaga", "parcel-7").map(SagaView::state), Optional::isPresent);
        assertThat(returns.find("ReturnSaga", "parcel-7").orElseThrow().state())
                .isEqualTo("{\"order\":\"42\",\"currency\":\"EUR\"}");
    }
}
