// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.rabbit.RabbitTransport;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.transport.Transport;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@EnabledForJreRange(
        min = JRE.JAVA_21,
        disabledReason = "virtual threads need Java 21; .ci/run runs this with the newest JDK of the machine")
class VirtualThreadsIT {

    private static final int AT_ONCE = 100;
    private static final int MESSAGES = 1_000;

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = broker(node);
    private final ApplicationContextRunner runner = Nodes.bare()
            .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
            .withPropertyValues(
                    "spring.application.name=" + node,
                    "spring.threads.virtual.enabled=true",
                    "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                    "spring.rabbitmq.username=" + broker.username(),
                    "spring.rabbitmq.password=" + broker.password(),
                    "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                    "safebunny.store.type=memory",
                    "safebunny.listener.prefetch=" + AT_ONCE,
                    "safebunny.retry.initial-interval=1ms",
                    "safebunny.delayed-retry.delays=100ms",
                    "test.node=" + node);

    record Shipped(String orderId) {}

    @Test
    void handleAsManyAtOnceAsThePrefetchAllowsAndPublishFromThem() {
        runner.withBean(Handler.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Transport.class)).isInstanceOf(RabbitTransport.class);
            Bunny bunny = context.getBean(Bunny.class);
            CompletableFuture<?>[] sent = IntStream.range(0, MESSAGES)
                    .mapToObj(i -> bunny.publishAsync(new OrderPlaced(Integer.toString(i))))
                    .toArray(CompletableFuture[]::new);
            assertThat(CompletableFuture.allOf(sent)).succeedsWithin(Duration.ofSeconds(30));

            Handler handler = context.getBean(Handler.class);
            assertThat(handler.together.await(30, TimeUnit.SECONDS))
                    .as("%d handlers wait at once", AT_ONCE)
                    .isTrue();
            Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(handler.shipped)
                    .hasSize(MESSAGES));
            assertThat(handler.platformThreads).isEmpty();
        });
    }

    @Test
    void retryInMemoryAndWithADelay() {
        runner.withBean(Failing.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));

            Received<Integer> attempts = context.getBean(Failing.class).attempts;
            for (int attempt : new int[] {0, 0, 0, 1}) {
                assertThat(attempts.next()).isEqualTo(attempt);
            }
        });
    }

    private static boolean isVirtual(Thread thread) {
        try {
            Method method = Thread.class.getMethod("isVirtual");
            return (boolean) method.invoke(thread);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    static class Handler {
        final CountDownLatch together = new CountDownLatch(AT_ONCE);
        final Set<String> shipped = ConcurrentHashMap.newKeySet();
        final Set<String> platformThreads = ConcurrentHashMap.newKeySet();
        private final Bunny bunny;

        Handler(Bunny bunny) {
            this.bunny = bunny;
        }

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order) throws InterruptedException {
            look();
            together.countDown();
            if (!together.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("alone");
            }
            bunny.publish(new Shipped(order.orderId()));
        }

        @BunnyHandler(from = "${test.node}")
        void on(Shipped order) {
            look();
            shipped.add(order.orderId());
        }

        private void look() {
            if (!isVirtual(Thread.currentThread())) {
                platformThreads.add(Thread.currentThread().getName());
            }
        }
    }

    static class Failing {
        final Received<Integer> attempts = new Received<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order, MessageContext context) {
            attempts.add(context.attempt());
            if (context.attempt() == 0) {
                throw new IllegalStateException("again");
            }
        }
    }
}
