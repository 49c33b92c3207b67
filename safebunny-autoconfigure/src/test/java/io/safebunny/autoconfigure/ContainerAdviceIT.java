// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

/** An application's own advice around the handling: whatever it does, no message is lost and none is handled twice. */
class ContainerAdviceIT {

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = broker(node);
    private final ApplicationContextRunner runner = Nodes.bare()
            .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
            .withPropertyValues(
                    "spring.application.name=" + node,
                    "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                    "spring.rabbitmq.username=" + broker.username(),
                    "spring.rabbitmq.password=" + broker.password(),
                    "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                    "safebunny.delayed-retry.delays=1s",
                    "test.node=" + node)
            .withBean(Handler.class)
            .withUserConfiguration(Advised.class);

    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    @Test
    void isAroundEachMessageAndNoneIsLostNorHandledTwice() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            Bunny bunny = context.getBean(Bunny.class);
            Handler handler = context.getBean(Handler.class);
            for (String order : List.of("never", "twice", "after", "once", "plain")) {
                bunny.publish(new OrderPlaced(order));
            }

            try (PoisonQueue poison = new PoisonQueue(amqp(), node + "-poison")) {
                GetResponse message = poison.next();
                assertThat(PoisonQueue.header(message, "sb-poison-reason")).isEqualTo("retries-exhausted");
                assertThat(PoisonQueue.header(message, "x-exception-message"))
                        .contains("returned without calling proceed()");
                Awaitility.await().untilAsserted(() -> assertThat(handler.orders)
                        .containsExactlyInAnyOrder("twice", "after", "once", "plain"));
                assertThat(poison.waiting()).isZero();
            }
        });
    }

    private ConnectionFactory amqp() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.uri());
        return factory;
    }

    static final class Advised {

        private final AtomicBoolean thrown = new AtomicBoolean();

        @Bean
        ContainerCustomizer<AbstractMessageListenerContainer> advised() {
            MethodInterceptor advice = this::around;
            return container -> container.setAdviceChain(advice);
        }

        private @Nullable Object around(MethodInvocation invocation) throws Throwable {
            Delivery delivery = (Delivery) invocation.getArguments()[1];
            String body = new String(delivery.message().message().body(), StandardCharsets.UTF_8);
            if (body.contains("never") || (body.contains("once") && thrown.compareAndSet(false, true))) {
                return failing(body);
            }
            Object result = invocation.proceed();
            if (body.contains("after")) {
                throw new IllegalStateException("after the handling");
            }
            return body.contains("twice") ? invocation.proceed() : result;
        }

        private static @Nullable Object failing(String body) {
            if (body.contains("once")) {
                throw new IllegalStateException("before the handling");
            }
            return null;
        }
    }

    static class Handler {

        final List<String> orders = new CopyOnWriteArrayList<>();

        @BunnyHandler(from = "${test.node}")
        void on(OrderPlaced order) {
            orders.add(order.orderId());
        }
    }
}
