// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.ForwardingDelivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Node {@code billing}, which handles {@code OrderPlaced}, and {@code PaymentCaptured} of its own, all on the test's thread. */
final class PoisonNode {

    static final Duration RETENTION = Duration.ofDays(7);
    static final String QUEUE = "billing-OrderPlaced";
    private static final String POISON = "billing-poison";

    final VirtualTimeline timeline = VirtualTimeline.skipping();
    final @Nullable MessageStore store;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
    private final SafeBunnyEngine engine;
    /** Ids of the messages whose handler was run. */
    final List<String> handled = new ArrayList<>();
    /** Ids of the orders that were captured. */
    final List<String> captured = new ArrayList<>();

    final List<SafeBunnyEvent> events = new ArrayList<>();
    /** What the broker says to what the engine sends; {@code null} when it takes it. */
    Function<OutboundMessage, @Nullable PublishException> refusal = message -> null;
    /** Whether the connection is lost when a copy that was looked at is to be removed. */
    boolean losesRemovals;
    /** What the handler does. */
    HandlerInvoker handler = (payload, context) -> {};

    PoisonNode(Function<VirtualTimeline, @Nullable MessageStore> stores) {
        store = stores.apply(timeline);
        engine = start(transport, ExceptionDetails.FULL);
    }

    private SafeBunnyEngine start(MemoryTransport over, ExceptionDetails details) {
        SafeBunnyEngine started = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing").withRetention(RETENTION).withExceptionDetails(details),
                        new Troubled(over),
                        timeline)
                .store(store)
                .callbacks(tasks::add)
                .listeners(List.of(events::add))
                .build());
        started.start(List.of(
                definition("OrderPlaced", OrderPlaced.class, "orders", (payload, context) -> {
                    handled.add(context.messageId());
                    handler.invoke(payload, context);
                }),
                definition(
                        "PaymentCaptured",
                        PaymentCaptured.class,
                        "billing",
                        (payload, context) -> captured.add(((PaymentCaptured) payload).orderId()))));
        return started;
    }

    private static HandlerDefinition definition(String type, Class<?> payload, String from, HandlerInvoker handler) {
        return new HandlerDefinition(
                "billing.on(" + type + ")",
                type,
                payload,
                List.of(from),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                handler);
    }

    void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    void send(WireMessage message, Route route) {
        var unused = transport
                .send(
                        new OutboundMessage(message, route, Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
        settle();
    }

    void order(String id) {
        send(Wires.orderPlaced().with("message_id", id).wire(), new Route.ToQueue(QUEUE));
    }

    /** Puts it into the poison queue, whoever wrote it. */
    void setAside(WireMessage copy) {
        send(copy, new Route.Poison("billing"));
    }

    List<WireMessage> copies() {
        return broker.messages(POISON);
    }

    void takeAll() {
        try (BrowsedQueue queue = browse()) {
            for (Delivery next = queue.next(); next != null; next = queue.next()) {
                next.acknowledge();
            }
        }
    }

    /** The poison queue, as it is. */
    BrowsedQueue browse() {
        return transport.browse(POISON);
    }

    Browsing browsing() {
        return new Browsing(transport);
    }

    PoisonMessages poison() {
        return engine.get(PoisonMessages.class);
    }

    /** As another instance of the node, which is started for it, sees them. */
    PoisonMessages atAnotherInstance() {
        return atAnotherInstance(ExceptionDetails.FULL);
    }

    PoisonMessages atAnotherInstance(ExceptionDetails details) {
        return start(new MemoryTransport(broker, TopologyOptions.defaults()), details)
                .get(PoisonMessages.class);
    }

    List<PoisonedMessage> list() {
        return poison().list(PoisonFilter.all()).messages();
    }

    PoisonOperation.Progress replay(PoisonRequest request) {
        PoisonOperation replay = poison().replay(request);
        settle();
        return replay.progress();
    }

    /** So many orders were set aside, and the handler works again. */
    void poisonOrders(int messages) {
        handler = (payload, context) -> {
            throw new IllegalStateException("no gateway");
        };
        for (int i = 0; i < messages; i++) {
            order("o-" + i);
        }
        handled.clear();
        handler = (payload, context) -> {};
    }

    PoisonOperation.Progress discard(PoisonRequest request) {
        PoisonOperation discard = poison().discard(request);
        settle();
        return discard.progress();
    }

    PoisonOperation.Progress restore(PoisonRequest request) {
        PoisonOperation restore = poison().restore(request);
        settle();
        return restore.progress();
    }

    /** What was discarded. */
    List<WireMessage> archive() {
        return broker.messages("billing-poison-archive");
    }

    static PoisonRequest everything() {
        return PoisonRequest.of(PoisonFilter.all(), "tester", "the gateway works again");
    }

    void stop() {
        engine.stop(Duration.ofSeconds(1));
    }

    private final class Troubled extends ForwardingTransport {

        Troubled(Transport transport) {
            super(transport);
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            PublishException failure = refusal.apply(message);
            return failure == null ? super.send(message, deadline) : CompletableFuture.failedFuture(failure);
        }

        @Override
        public BrowsedQueue browse(String queue) {
            BrowsedQueue browsed = super.browse(queue);
            return new BrowsedQueue() {
                @Override
                public long waiting() {
                    return browsed.waiting();
                }

                @Override
                public @Nullable Delivery next() {
                    Delivery next = browsed.next();
                    return next == null || !losesRemovals ? next : new Unremoved(next);
                }

                @Override
                public void close() {
                    browsed.close();
                }
            };
        }
    }

    private static final class Unremoved extends ForwardingDelivery {

        Unremoved(Delivery delivery) {
            super(delivery);
        }

        @Override
        public void acknowledge() {
            handBack();
            throw new BrowsingException(message().queue(), "the connection was lost.", null);
        }
    }
}
