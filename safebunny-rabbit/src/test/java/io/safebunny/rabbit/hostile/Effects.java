// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.hostile;

import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What the victim's handlers did, counted outside of it. Thread-safe. */
final class Effects {

    /** Every so many of the shop's orders fails once, and comes back over the ladder. */
    static final int FAILS_ONCE = 10;

    private static final int PREFETCH = 20;

    record Line(String article, int count) {}

    record Order(String id, long cents, List<Line> lines) {}

    record Payment(String id, long cents) {}

    record Note(String id, Map<String, Object> content) {}

    /** What a node that sees a message knows of it. */
    record Seen(String id, String correlationId, String type, String payloadId) {}

    private final Map<String, AtomicInteger> good = new ConcurrentHashMap<>();
    private final LongAdder hostile = new LongAdder();
    private final Queue<Seen> seen = new ConcurrentLinkedQueue<>();

    List<HandlerDefinition> handlers(String victim, String shop, String attacker, Bunny bunny) {
        return List.of(
                handler("Order", Order.class, List.of(shop, attacker), (payload, context) -> {
                    Order order = (Order) payload;
                    if (isGood(order.id())) {
                        String unusedReceipt = context.once("charge", String.class, () -> "receipt of " + order.id());
                        if (context.attempt() == 0
                                && Integer.parseInt(order.id().substring(1)) % FAILS_ONCE == 0) {
                            throw new IllegalStateException("for once");
                        }
                        Published unused = bunny.publish(
                                new Payment("p" + order.id(), cents("p" + order.id())), PublishOptions.none());
                    }
                    handled(order.id(), context);
                }),
                handler(
                        "Payment",
                        Payment.class,
                        List.of(victim, attacker),
                        (payload, context) -> handled(((Payment) payload).id(), context)),
                handler(
                        "Note",
                        Note.class,
                        List.of(shop, attacker),
                        (payload, context) -> handled(((Note) payload).id(), context)));
    }

    private static HandlerDefinition handler(String type, Class<?> payload, List<String> from, HandlerInvoker invoker) {
        return new HandlerDefinition(
                "victim of " + type,
                type,
                payload,
                from,
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(3, Duration.ofMillis(50))),
                invoker);
    }

    /** Of the payment with this id. */
    static int cents(String payment) {
        return payment.length();
    }

    private static boolean isGood(@Nullable String id) {
        return id != null && id.matches("p?[on]\\d+");
    }

    private void handled(@Nullable String id, MessageContext context) {
        if (id != null && isGood(id)) {
            good.computeIfAbsent(id, first -> new AtomicInteger()).incrementAndGet();
            seen.add(new Seen(context.messageId(), context.correlationId(), context.type(), id));
        } else {
            hostile.increment();
        }
    }

    /** Runs of each good message that came to its end. */
    Map<String, AtomicInteger> good() {
        return good;
    }

    long hostile() {
        return hostile.sum();
    }

    /** Good ones that were handled, each given once. */
    Queue<Seen> seen() {
        return seen;
    }
}
