// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.Bunny;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The nodes of the soak and what they handle. */
final class Nodes {

    static final String PUBLISHER = "soak";
    static final String DEDUPLICATING = "soak-once";
    static final String FORGETFUL = "soak-again";

    private static final int PREFETCH = 5;
    private static final int DELIVERY_LIMIT = 20;
    private static final Duration PUBLISH_TIMEOUT = Duration.ofSeconds(10);

    /** Powers of two, so that each retry uses one rung of the delay ladder; together longer than any fault. */
    private static final RetryStrategy RETRIES = RetryStrategy.after(
            Duration.ofMillis(256),
            Duration.ofMillis(1_024),
            Duration.ofMillis(4_096),
            Duration.ofMillis(8_192),
            Duration.ofMillis(8_192));

    private Nodes() {}

    /** @param index of the broker that it connects to first */
    static InstanceOptions options(String node, Brokers brokers, int index) {
        TestBroker any = brokers.nodes().get(0).broker();
        return new InstanceOptions(node, any, PREFETCH, DELIVERY_LIMIT, Duration.ZERO, node.equals(DEDUPLICATING))
                .withAddresses(brokers.addresses(index))
                .withPublishTimeout(PUBLISH_TIMEOUT);
    }

    /** @param ledger is given the id of each message whose handler ran to its end */
    static List<HandlerDefinition> handlers(String node, Bunny bunny, Consumer<String> ledger) {
        return List.of(
                handler("Order", Order.class, PUBLISHER, (payload, context) -> {
                    Order order = (Order) payload;
                    Thread.sleep(order.handling().toMillis());
                    if (order.failsOnce() && context.attempt() == 0) {
                        throw new FailsOnceException(order);
                    }
                    if (Order.hasReceipt(order.number())) {
                        bunny.publish(new Receipt(order.number()));
                    }
                    ledger.accept(Order.id(order.number()));
                }),
                handler("Receipt", Receipt.class, node, (payload, context) -> {
                    Thread.sleep(1);
                    ledger.accept(Receipt.id(((Receipt) payload).number()));
                }));
    }

    private static HandlerDefinition handler(String type, Class<?> payload, String from, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "soak.on(" + type + ")",
                type,
                payload,
                List.of(from),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RETRIES),
                invoker);
    }

    /** What some handlers throw on the first delivery. */
    static final class FailsOnceException extends Exception {

        private static final long serialVersionUID = 1L;

        FailsOnceException(Order order) {
            super("fails once: " + order);
        }
    }
}
