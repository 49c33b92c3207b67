// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PublishOptions;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.story.NodeStory;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Asked;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.story.exchange.WithoutTexts;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The nodes storefront, orders and billing in virtual time, each of whose parts can be made to fail. Confined to one thread. */
final class CauseDesk {

    static final String ID = "order-1";

    record PlaceOrder(String id) {}

    record Capture(String id) {}

    record Refund(String id) {}

    record Captured(String id) {}

    record Declined(String id) {}

    /** A second saga has this id, too. */
    record Watch(String id) {}

    record Seen(String id) {}

    record Note(String id) {}

    /** The saga sends its command anew, as another one. */
    record Again(String id) {}

    record BuyAll(String id) {}

    record Pack(String id) {}

    record Fetched(String id) {}

    record Gossip(String id) {}

    record State(String id) {}

    @BunnySaga
    static final class Buying {
        private final CauseDesk desk;

        Buying(CauseDesk desk) {
            this.desk = desk;
        }

        @Starts
        @BunnyHandler(from = "storefront")
        State on(PlaceOrder placed, SagaContext saga) {
            saga.step("pay", new Capture(placed.id()), new Refund(placed.id()));
            saga.timeout("payment", Duration.ofMinutes(15));
            return new State(placed.id());
        }

        @BunnyHandler(from = "billing")
        void on(Captured captured, State state, SagaContext saga) {
            desk.mayFail("Captured");
            saga.complete();
        }

        @BunnyHandler(from = "billing")
        void on(Declined declined, State state, SagaContext saga) {
            desk.mayFail("Declined");
            saga.fail("declined");
        }

        @BunnyHandler(from = "storefront")
        void on(Note note, State state, SagaContext saga) {
            desk.mayFail("Note");
        }

        @OnTimeout("payment")
        void late(State state, SagaContext saga) {
            desk.mayFail("payment");
            saga.fail("too late");
        }
    }

    /** Sends two commands at once. */
    @BunnySaga
    static final class Collecting {
        private final CauseDesk desk;

        Collecting(CauseDesk desk) {
            this.desk = desk;
        }

        @Starts
        @BunnyHandler(from = "storefront")
        State on(BuyAll all, SagaContext saga) {
            saga.step("pay", new Capture(all.id()), new Refund(all.id()));
            saga.step("pack", new Pack(all.id()));
            return new State(all.id());
        }

        @BunnyHandler(from = "storefront")
        void on(Again again, State state, SagaContext saga) {
            boolean unused = saga.forget("pack");
            saga.step("pack", new Pack(again.id()));
        }

        @BunnyHandler(from = "billing")
        void on(Fetched fetched, State state, SagaContext saga) {
            desk.mayFail("Fetched");
            saga.complete();
        }
    }

    @BunnySaga
    static final class Watching {
        @Starts
        @BunnyHandler(from = "storefront")
        State on(Watch watch, SagaContext saga) {
            return new State(watch.id());
        }

        @BunnyHandler(from = "billing")
        void on(Seen seen, State state, SagaContext saga) {
            saga.complete();
        }
    }

    /** A store that may be away, or have what only a newer version can read. */
    static final class Away extends ForwardingMessageStore {
        /** Methods that fail, by name. */
        final Map<String, Function<RecordKey, RuntimeException>> failing = new HashMap<>();

        Away(MessageStore store) {
            super(store);
        }

        void away(String... methods) {
            for (String method : methods) {
                failing.put(method, key -> new StoreUnavailableException("the test wants it", null, null));
            }
        }

        private void mayFail(String method, RecordKey key) {
            Function<RecordKey, RuntimeException> failure = failing.get(method);
            if (failure != null) {
                throw failure.apply(key);
            }
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            mayFail("find", key);
            return super.find(key);
        }

        @Override
        public List<DatedRecord> findCorrelated(String correlationId, int limit) {
            mayFail("findCorrelated", new RecordKey(correlationId, "any"));
            return super.findCorrelated(correlationId, limit);
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            mayFail("findCorrelationIds", new RecordKey("any", messageId));
            return super.findCorrelationIds(messageId, limit, atMost);
        }
    }

    /** What has been committed and not been sent. */
    static final class Waiting implements Outbox {
        final Map<String, List<Unsent>> rows = new HashMap<>();

        @Override
        public boolean add(OutboundMessage message) {
            return false;
        }

        @Override
        public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

        @Override
        public List<Unsent> findCorrelated(String correlationId, int limit) {
            return rows.getOrDefault(correlationId, List.of());
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            return List.of();
        }

        @Override
        public void stop() {}
    }

    private final class Wire extends ForwardingTransport {
        Wire(Transport transport) {
            super(transport);
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            return transport.send(
                    spoilt.contains(String.valueOf(message.message().type()))
                            ? message.withMessage(spoilt(message.message()))
                            : message,
                    deadline);
        }

        @Override
        public TransportStatus status() {
            return brokerAway ? new TransportStatus(false, "blocked by the broker: memory alarm") : transport.status();
        }
    }

    final SagaWorld world = new SagaWorld();
    private final Map<String, Away> stores = new HashMap<>();
    final Waiting outbox = new Waiting();
    /** What handlers of billing do, by type. */
    final Map<String, HandlerInvoker> does = new HashMap<>();
    /** What methods of the saga throw, by type or name of the timeout. */
    final Map<String, RuntimeException> fails = new HashMap<>();
    /** Types whose messages arrive without a readable body. */
    final Set<String> spoilt = new HashSet<>();
    /** Types that a middleware of orders refuses. */
    final Set<String> refused = new HashSet<>();

    boolean brokerAway;
    /** Told in the middle of a handler. */
    @Nullable
    Story inHandler;

    private void mayFail(String what) {
        RuntimeException failure = fails.get(what);
        if (failure != null) {
            throw failure;
        }
    }

    private static WireMessage spoilt(WireMessage message) {
        return new WireMessage(
                message.messageId(),
                message.correlationId(),
                message.type(),
                message.appId(),
                message.timestamp(),
                message.contentType(),
                message.contentEncoding(),
                message.priority(),
                message.headers(),
                "{".getBytes(StandardCharsets.UTF_8));
    }

    Away store(String node) {
        return Objects.requireNonNull(stores.get(node));
    }

    // ---- what happens

    void start(String... nodes) {
        world.transports = Wire::new;
        world.outbox = outbox;
        for (String node : nodes) {
            Away store = stores.computeIfAbsent(
                    node, any -> new Away(new MemoryMessageStore(world.timeline, Duration.ofDays(7))));
            switch (node) {
                case "orders" -> {
                    ConsumeMiddleware refusing = (context, next) -> {
                        if (refused.contains(context.type())) {
                            throw new IllegalStateException("refused");
                        }
                        next.run();
                    };
                    world.consumeMiddlewares = List.of(refusing);
                    world.start(node, store, List.of(), new Buying(this), new Watching(), new Collecting(this));
                    world.consumeMiddlewares = List.of();
                }
                case "billing" ->
                    world.start(
                            node,
                            store,
                            List.of(
                                    SagaWorld.handler("orders", Capture.class, doing("Capture")),
                                    SagaWorld.handler("orders", Refund.class, doing("Refund")),
                                    SagaWorld.handler("orders", Pack.class, doing("Pack"))));
                default -> world.start(node, store, List.of());
            }
        }
        world.outbox = null;
    }

    private HandlerInvoker doing(String type) {
        return (payload, context) -> does.getOrDefault(type, (any, other) -> {}).invoke(payload, context);
    }

    void startAll() {
        start("storefront", "orders", "billing");
    }

    /** The breaker opens if two of four messages fail. */
    void withThreshold() {
        world.breakerSettings = new BreakerSettings(50, 4, 4, Duration.ofSeconds(30), 3);
        startAll();
    }

    void publish(Object message, String correlationId) {
        var unused =
                world.bunny("storefront").publish(message, PublishOptions.none().withCorrelationId(correlationId));
        pass(1); // the broker's confirms are noted a moment later
    }

    void place() {
        startAll();
        order();
    }

    void order() {
        publish(new PlaceOrder(ID), ID);
    }

    void pass(int seconds) {
        world.pass(Duration.ofSeconds(seconds));
    }

    void replies(Object... messages) {
        does.put("Capture", (payload, context) -> {
            for (Object message : messages) {
                var unused = world.bunny("billing").publish(message);
            }
        });
    }

    void throwing(String type, RuntimeException failure) {
        does.put(type, (payload, context) -> {
            throw failure;
        });
    }

    void pause(String node, Class<?> type) {
        pause(node, MessageTypes.nameOf(type));
    }

    void pause(String node, String type) {
        var unused = world.engine(node)
                .get(BunnyOperations.class)
                .pause(type, Duration.ofHours(1), Scope.INSTANCE, "the gateway is down", "ops");
    }

    Sagas sagas() {
        return world.engine("orders").get(Sagas.class);
    }

    // ---- what is told

    NodeStory part(String node, String id) {
        return world.engine(node).get(StoryTeller.class).own(id);
    }

    Story story(String node, String id) {
        return Telling.of(id, world.timeline.now(), List.of(part(node, id)));
    }

    /** As the first node tells it when all have answered. */
    Story together(String... nodes) {
        List<NodeStory> parts = new ArrayList<>();
        List<Asked> asked = new ArrayList<>();
        for (String node : nodes) {
            NodeStory part = part(node, ID);
            parts.add(parts.isEmpty() ? part : WithoutTexts.of(part));
            asked.add(new Asked(node, part.instance(), "", true, world.timeline.now(), null));
        }
        return Telling.of(ID, world.timeline.now(), new Gathered(null, parts, asked, true));
    }

    String command() {
        return part("orders", ID).sagas().get(0).steps().get(0).messageId();
    }
}
