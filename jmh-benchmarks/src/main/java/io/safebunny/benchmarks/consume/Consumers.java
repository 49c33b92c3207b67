// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.MessageContext;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchBroker.PingHandler;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.contest.Figures;
import io.safebunny.benchmarks.profile.Profile;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Ways to consume all messages of a queue with handlers that do nothing. */
final class Consumers {

    static final String NODE = "sink";

    private final BenchBroker broker;
    private final String queue;
    private final int messages;

    Consumers(BenchBroker broker, int messages) {
        this.broker = broker;
        this.queue = broker.declare(NODE);
        this.messages = messages;
    }

    static void check(Ping ping) {
        if (ping.lines().isEmpty()) {
            throw new IllegalStateException("The message was not read");
        }
    }

    /**
     * The upper bound set by the client library: bodies are not read, and each message is acknowledged on the consumer's thread.
     */
    Figures raw(int prefetch) throws Exception {
        broker.fill(queue, messages);
        Meter meter = new Meter(messages);
        Connection connection = broker.connect();
        try {
            Channel channel = connection.createChannel();
            channel.basicQos(prefetch);
            String unused = channel.basicConsume(
                    queue,
                    false,
                    (tag, delivery) -> {
                        meter.count();
                        channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
                    },
                    tag -> {});
            return meter.await();
        } finally {
            connection.abort();
        }
    }

    Figures listeners(int consumers, int prefetch) throws Exception {
        return listeners(consumers, prefetch, meter -> Listeners.calling(checking(meter)));
    }

    /** @param listener registers the listener that counts its messages by the meter */
    Figures listeners(
            int consumers, int prefetch, Function<Meter, Consumer<AnnotationConfigApplicationContext>> listener)
            throws Exception {
        broker.fill(queue, messages);
        Meter meter = new Meter(messages);
        try (Listeners listeners = new Listeners(broker.spring(), queue, consumers, prefetch, listener.apply(meter))) {
            return meter.await();
        }
    }

    /** Handlers that charge in a step and insert its result, like those in the guide. */
    Figures charging(int prefetch, Function<Timeline, MessageStore> store, Consumer<String> insert) throws Exception {
        return working(
                prefetch,
                store,
                context ->
                        insert.accept(context.once("charge", String.class, () -> "receipt of " + context.messageId())));
    }

    /** @param insert is given the id of each message */
    Figures inserting(int prefetch, Function<Timeline, MessageStore> store, Consumer<String> insert) throws Exception {
        return working(prefetch, store, context -> insert.accept(context.messageId()));
    }

    private Figures working(int prefetch, Function<Timeline, MessageStore> store, Consumer<MessageContext> work)
            throws Exception {
        return consume(1, meter -> working(prefetch, work, meter), store, Meter::await);
    }

    private static HandlerDefinition working(int prefetch, Consumer<MessageContext> work, Meter meter) {
        HandlerDefinition plain = BenchBroker.handler(prefetch, Consumers::check);
        return new HandlerDefinition(
                plain.description(),
                plain.type(),
                plain.payloadType(),
                plain.from(),
                prefetch,
                plain.recovery(),
                (payload, context) -> {
                    check((Ping) payload);
                    work.accept(context);
                    meter.count();
                });
    }

    private static HandlerDefinition checking(int prefetch, Meter meter) {
        return BenchBroker.handler(prefetch, checking(meter));
    }

    private static PingHandler checking(Meter meter) {
        return ping -> {
            check(ping);
            meter.count();
        };
    }

    /** @param store creates the store, {@code null} for none */
    Figures safeBunny(int instances, int prefetch, @Nullable Function<Timeline, MessageStore> store) throws Exception {
        return consume(instances, meter -> checking(prefetch, meter), store, Meter::await);
    }

    /** With several messages in a transaction. */
    Figures sharing(int prefetch, int perTransaction, Function<Timeline, MessageStore> store) throws Exception {
        return consume(1, meter -> sharing(perTransaction, checking(prefetch, meter)), store, Meter::await);
    }

    /** Like {@link #inserting}, with several messages in a transaction. */
    Figures insertingShared(
            int prefetch, int perTransaction, Function<Timeline, MessageStore> store, Consumer<String> insert)
            throws Exception {
        return consume(
                1,
                meter -> sharing(
                        perTransaction, working(prefetch, context -> insert.accept(context.messageId()), meter)),
                store,
                Meter::await);
    }

    private static HandlerDefinition sharing(int perTransaction, HandlerDefinition single) {
        return new HandlerDefinition(
                single.description(),
                single.type(),
                single.payloadType(),
                single.from(),
                single.prefetch(),
                Grouping.inTransaction(perTransaction),
                single.recovery(),
                single.invoker());
    }

    /** In batches, with as many waiting as are handled. */
    Figures batches(int size, Function<Timeline, MessageStore> store) throws Exception {
        return consume(
                1,
                meter -> {
                    HandlerDefinition single = checking(size, meter);
                    return new HandlerDefinition(
                            single.description(),
                            single.type(),
                            single.payloadType(),
                            single.from(),
                            2 * size,
                            Grouping.inBatch(size),
                            single.recovery(),
                            new Batches(single.invoker()));
                },
                store,
                Meter::await);
    }

    private record Batches(HandlerInvoker each) implements HandlerInvoker {

        @Override
        public void invoke(Object payload, MessageContext context) throws Exception {
            each.invoke(payload, context);
        }

        @Override
        public void invokeBatch(List<Object> payloads, List<? extends MessageContext> contexts) throws Exception {
            for (int i = 0; i < payloads.size(); i++) {
                each.invoke(payloads.get(i), contexts.get(i));
            }
        }
    }

    /** Profiles the processors from the first to the last message. */
    Figures profiled(int prefetch, @Nullable Function<Timeline, MessageStore> store) throws Exception {
        return consume(1, meter -> checking(prefetch, meter), store, meter -> {
            int before = meter.awaitFirst();
            Profile profile = new Profile();
            Figures unused = meter.await();
            return profile.perMessage(messages - before);
        });
    }

    @FunctionalInterface
    private interface Observation {
        Figures of(Meter meter) throws Exception;
    }

    private Figures consume(
            int instances,
            Function<Meter, HandlerDefinition> handler,
            @Nullable Function<Timeline, MessageStore> store,
            Observation observation)
            throws Exception {
        broker.fill(queue, messages);
        Meter meter = new Meter(messages);
        List<BenchNode> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < instances; i++) {
                BenchNode node =
                        store == null ? BenchNode.withoutStore(broker, NODE) : BenchNode.withStore(broker, NODE, store);
                nodes.add(node);
                node.start(List.of(handler.apply(meter)));
            }
            return observation.of(meter);
        } finally {
            nodes.forEach(BenchNode::close);
        }
    }
}
