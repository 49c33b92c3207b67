// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.MessageTypes;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.saga.execution.SagaWorld;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Five nodes in virtual time whose handlers fail at random, in all ways there are; what they do is observed. Confined to one thread. */
final class Shop {

    record PlaceOrder(String id) {}

    record Reserve(String id) {}

    record Release(String id) {}

    record Reserved(String id) {}

    record Capture(String id) {}

    record Refund(String id) {}

    record Captured(String id) {}

    record Declined(String id) {}

    record BookTour(String id) {}

    record BookCar(String id) {}

    record CancelCar(String id) {}

    record CarBooked(String id) {}

    record BookHotel(String id) {}

    record CancelHotel(String id) {}

    record HotelBooked(String id) {}

    record RoomRefused(String id) {}

    record SendMail(String id) {}

    record Ordered(String id) {}

    record Packed(String id) {}

    record Shipped(String id) {}

    record Delivered(String id) {}

    record Ping(String id) {}

    record Pong(String id) {}

    /** Nobody handles it. */
    record Gossip(String id) {}

    record State(int count) {}

    /** One step after the other, each with its undo. */
    @BunnySaga
    static final class Orders {
        private final Shop shop;

        Orders(Shop shop) {
            this.shop = shop;
        }

        @Starts
        @BunnyHandler(from = "shop")
        State on(PlaceOrder order, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.step("stock", new Reserve(order.id()), new Release(order.id()));
            deeds.timeout("payment", Duration.ofMinutes(1 + shop.random.nextInt(6)));
            return deeds.returns(new State(1));
        }

        @BunnyHandler(from = "stock")
        State on(Reserved reserved, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.step("pay", new Capture(reserved.id()), new Refund(reserved.id()));
            return deeds.returns(state);
        }

        @BunnyHandler(from = "billing")
        State on(Captured captured, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.complete();
            return deeds.returns(state);
        }

        @BunnyHandler(from = "billing")
        State on(Declined declined, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.forget("pay");
            deeds.fail("declined");
            return deeds.returns(state);
        }

        @OnTimeout("payment")
        State late(State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.fail("too late");
            return deeds.returns(state);
        }
    }

    /** Three steps at a time, one of them without an undo. */
    @BunnySaga(participants = "billing")
    static final class Tours {
        private final Shop shop;

        Tours(Shop shop) {
            this.shop = shop;
        }

        @Starts
        @BunnyHandler(from = "shop")
        State on(BookTour tour, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.step("car", new BookCar(tour.id()), new CancelCar(tour.id()));
            deeds.step("hotel", new BookHotel(tour.id()), new CancelHotel(tour.id()));
            deeds.step("mail", new SendMail(tour.id()), null);
            deeds.timeout("patience", Duration.ofMinutes(2 + shop.random.nextInt(4)));
            return deeds.returns(new State(0));
        }

        @BunnyHandler(from = "stock")
        State on(CarBooked booked, State state, SagaContext saga) {
            return booked(state, saga);
        }

        @BunnyHandler(from = "billing")
        State on(HotelBooked booked, State state, SagaContext saga) {
            return booked(state, saga);
        }

        private State booked(State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            if (state.count() == 1) {
                deeds.complete();
            } else {
                deeds.cancel("patience");
                deeds.timeout("patience", Duration.ofMinutes(3));
            }
            return deeds.returns(new State(state.count() + 1));
        }

        @BunnyHandler(from = "billing")
        State on(RoomRefused refused, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.forget("hotel");
            deeds.fail("no room");
            return deeds.returns(state);
        }

        @OnTimeout("patience")
        State late(State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.fail("nobody answers");
            return deeds.returns(state);
        }

        @OnPoisoned
        State blocked(BlockedOn on, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            if (!on.type().equals("SendMail")) {
                deeds.fail("blocked");
            }
            return deeds.returns(state);
        }
    }

    /** Sends nothing; what it takes may come before it begins, and its timeout comes again. */
    @BunnySaga
    static final class Parcels {
        private final Shop shop;

        Parcels(Shop shop) {
            this.shop = shop;
        }

        @Starts
        @BunnyHandler(from = "shop")
        State on(Ordered ordered, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.timeout("reminder", Duration.ofMinutes(1));
            deeds.timeout("end", Duration.ofDays(2));
            return deeds.returns(new State(0));
        }

        @BunnyHandler(from = "shop")
        State on(Packed packed, State state, SagaContext saga) {
            return shop.runs(saga).returns(state);
        }

        @BunnyHandler(from = "shop")
        State on(Shipped shipped, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.cancel("reminder");
            return deeds.returns(state);
        }

        @BunnyHandler(from = "shop")
        State on(Delivered delivered, State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.complete();
            return deeds.returns(state);
        }

        @OnTimeout("reminder")
        State remind(State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            if (state.count() < 3) {
                deeds.timeout("reminder", Duration.ofMinutes(1));
            } else {
                deeds.fail("forgotten");
            }
            return deeds.returns(new State(state.count() + 1));
        }

        @OnTimeout("end")
        State end(State state, SagaContext saga) {
            Deeds deeds = shop.runs(saga);
            deeds.fail("over");
            return deeds.returns(state);
        }
    }

    static final List<String> NODES = List.of("orders", "parcels", "stock", "billing");
    static final Set<String> UNROUTABLE = Set.of("Gossip");

    private static final List<Duration> IN_MEMORY = List.of(Duration.ofMillis(200), Duration.ofMillis(400));
    private static final List<Duration> DELAYED = List.of(Duration.ofSeconds(10), Duration.ofSeconds(60));
    /** Of sagas, in this world. */
    private static final List<Duration> OF_SAGAS = List.of(Duration.ofSeconds(10), Duration.ofSeconds(10));

    private static final RecoveryPolicy POLICY =
            RecoveryPolicy.of(new RetryStrategy(IN_MEMORY, 0), new RetryStrategy(DELAYED, 0));

    private static final List<Observed.Kind> KINDS = List.of(
            new Observed.Kind(
                    "Orders",
                    "orders",
                    "PlaceOrder",
                    Map.of("Reserved", "stock", "Captured", "billing", "Declined", "billing"),
                    null),
            new Observed.Kind(
                    "Tours",
                    "orders",
                    "BookTour",
                    Map.of("CarBooked", "stock", "HotelBooked", "billing", "RoomRefused", "billing"),
                    "blocked"),
            new Observed.Kind(
                    "Parcels",
                    "parcels",
                    "Ordered",
                    Map.of("Packed", "shop", "Shipped", "shop", "Delivered", "shop"),
                    null));

    /** How a handler takes one message: what is thrown first, then what it does. */
    private record Plan(List<RuntimeException> failures, Reply reply) {}

    private enum Reply {
        YES,
        NO,
        NOTHING,
        GOSSIP
    }

    final Random random;
    final SagaWorld world = new SagaWorld();
    final Observed observed = new Observed(
            world.timeline,
            KINDS,
            Map.of("orders", OF_SAGAS, "parcels", OF_SAGAS, "stock", DELAYED, "billing", DELAYED));
    final Map<String, Away> stores = new LinkedHashMap<>();
    private final Map<String, Plan> plans = new HashMap<>();
    /** Called now and then in the middle of a handler. */
    private Runnable inHandler = () -> {};

    private boolean isAsking;

    /** A store that may be away, wholly or for single records. */
    static final class Away extends ForwardingMessageStore {
        private final String node;
        private final Observed observed;
        boolean isAway;
        boolean isAwayForSagas;

        Away(MessageStore store, String node, Observed observed) {
            super(store);
            this.node = node;
            this.observed = observed;
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            MessageRecord written = super.replace(record);
            if (written != null && written.state() == RecordState.COMPLETED) {
                observed.taken(node, record.key().messageId(), record.key().correlationId());
            }
            return written;
        }

        private void require(boolean there) {
            if (!there) {
                throw new StoreUnavailableException("the test wants it", null, null);
            }
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            require(!isAway && !isAwayForSagas);
            return super.find(key);
        }

        @Override
        public List<DatedRecord> findCorrelated(String correlationId, int limit) {
            require(!isAway);
            return super.findCorrelated(correlationId, limit);
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            require(!isAway);
            return super.findCorrelationIds(messageId, limit, atMost);
        }
    }

    Shop(long seed) {
        this.random = new Random(seed);
        world.arrivals = message -> {
            observed.sent(message);
            return 1;
        };
        start("shop", List.of());
        start("orders", List.of(), new Orders(this), new Tours(this));
        start("parcels", List.of(), new Parcels(this));
        start(
                "stock",
                List.of(
                        handler("orders", Reserve.class, "Reserved", null),
                        handler("orders", Release.class, null, null),
                        handler("orders", BookCar.class, "CarBooked", null),
                        handler("orders", CancelCar.class, null, null),
                        handler("shop", Ping.class, "Pong", null)));
        start(
                "billing",
                List.of(
                        handler("orders", Capture.class, "Captured", "Declined"),
                        handler("orders", Refund.class, null, null),
                        handler("orders", BookHotel.class, "HotelBooked", "RoomRefused"),
                        handler("orders", CancelHotel.class, null, null),
                        handler("orders", SendMail.class, null, null),
                        handler("stock", Pong.class, null, null)));
    }

    private void start(String node, List<HandlerDefinition> handlers, Object... sagas) {
        Away store = new Away(new MemoryMessageStore(world.timeline, Duration.ofDays(7)), node, observed);
        stores.put(node, store);
        world.consumeMiddlewares = List.of(observed.watch(node));
        world.start(node, store, handlers, sagas);
        world.breakers(node).addListener(change -> observed.changed(node, change));
    }

    String instance(String node) {
        return world.engine(node).get(BunnyOperations.class).instance();
    }

    void inHandler(Runnable ask) {
        inHandler = ask;
    }

    // ---- what is done from outside

    void publish(Object message, String correlationId) {
        var unused = world.bunny("shop").publish(message, PublishOptions.none().withCorrelationId(correlationId));
    }

    void pause(String node, String type, Duration duration) {
        Instant until = observed.now().plus(duration);
        observed.paused(node, type, until, "the gateway is down", "ops");
        var unused = world.engine(node)
                .get(BunnyOperations.class)
                .pause(type, duration, Scope.INSTANCE, "the gateway is down", "ops");
    }

    // ---- participants

    private HandlerDefinition handler(String from, Class<?> payload, @Nullable String yes, @Nullable String no) {
        String type = MessageTypes.nameOf(payload);
        return new HandlerDefinition(
                "test.on(" + type + ")",
                type,
                payload,
                List.of(from),
                10,
                POLICY,
                (body, context) -> handle(context, yes, no));
    }

    private void handle(MessageContext context, @Nullable String yes, @Nullable String no) {
        Plan plan = plan(context.messageId(), no != null, yes == null);
        askNowAndThen();
        throwNext(plan, IN_MEMORY);
        String node = observed.current().node;
        switch (plan.reply()) {
            case YES -> reply(node, yes);
            case NO -> reply(node, no == null ? yes : no);
            case NOTHING -> {}
            case GOSSIP -> {
                reply(node, yes);
                reply(node, "Gossip");
            }
        }
    }

    private void reply(String node, @Nullable String type) {
        String id = observed.current().correlationId;
        Object message =
                switch (String.valueOf(type)) {
                    case "Reserved" -> new Reserved(id);
                    case "Captured" -> new Captured(id);
                    case "Declined" -> new Declined(id);
                    case "CarBooked" -> new CarBooked(id);
                    case "HotelBooked" -> new HotelBooked(id);
                    case "RoomRefused" -> new RoomRefused(id);
                    case "Pong" -> new Pong(id);
                    case "Gossip" -> new Gossip(id);
                    default -> null;
                };
        if (message != null) {
            var unused = world.bunny(node).publish(message);
        }
    }

    /** @param only whether it has nothing to say */
    private Plan plan(String messageId, boolean refuses, boolean only) {
        return plans.computeIfAbsent(messageId, any -> {
            List<RuntimeException> failures = new ArrayList<>();
            int kind = random.nextInt(100);
            int times = kind < 60 ? 0 : kind < 82 ? 1 + random.nextInt(3) : kind < 88 ? 4 + random.nextInt(6) : 0;
            for (int i = 0; i < times; i++) {
                failures.add(new IllegalStateException("down " + i));
            }
            if (kind >= 88 && kind < 92) {
                failures.add(new ThrottledException(Duration.ofSeconds(20 + random.nextInt(200))));
            } else if (kind >= 92 && kind < 94) {
                failures.add(new RetryLaterException(Duration.ofSeconds(90)));
            } else if (kind >= 94 && kind < 96) {
                failures.add(new IllegalStateException("first"));
                failures.add(new PoisonMessageException("no such \"order\""));
            } else if (kind >= 96) {
                failures.add(new PoisonMessageException("no such order"));
            }
            int reply = only ? 0 : random.nextInt(100);
            return new Plan(
                    failures,
                    reply < 80
                            ? Reply.YES
                            : reply < 86 && refuses ? Reply.NO : reply < 93 ? Reply.NOTHING : Reply.GOSSIP);
        });
    }

    private void throwNext(Plan plan, List<Duration> inMemory) {
        if (!plan.failures().isEmpty()) {
            RuntimeException failure = plan.failures().remove(0);
            observed.thrown(failure, inMemory.isEmpty() ? null : inMemory.get(0));
            throw failure;
        }
    }

    private void askNowAndThen() {
        if (!isAsking && random.nextInt(60) == 0) {
            isAsking = true;
            inHandler.run();
            isAsking = false;
        }
    }

    // ---- sagas

    private Deeds runs(SagaContext saga) {
        observed.runs();
        Plan plan = plan(observed.current().id, false, true);
        askNowAndThen();
        boolean late = plan.failures().size() % 2 == 1;
        if (!late) {
            throwNext(plan, List.of());
        }
        return new Deeds(saga, plan);
    }

    /** Does what the method of a saga wants to, and notes it. */
    private final class Deeds {
        private final SagaContext saga;
        private final Plan plan;

        Deeds(SagaContext saga, Plan plan) {
            this.saga = saga;
            this.plan = plan;
        }

        void step(String name, Object command, @Nullable Object undo) {
            if (undo == null) {
                saga.step(name, command);
            } else {
                saga.step(name, command, undo);
            }
            String type = MessageTypes.nameOf(command.getClass());
            String undoes = undo == null ? null : MessageTypes.nameOf(undo.getClass());
            observed.deed(seen -> seen.send(new Seen.Step(name, type, undoes)));
        }

        void forget(String name) {
            boolean unused = saga.forget(name);
            observed.deed(seen -> seen.steps.remove(name));
        }

        void timeout(String name, Duration after) {
            saga.timeout(name, after);
            Instant due = observed.now().plus(after);
            observed.deed(seen -> seen.timeouts.put(name, due));
        }

        void cancel(String name) {
            boolean unused = saga.cancelTimeout(name);
            observed.deed(seen -> seen.timeouts.remove(name));
        }

        void complete() {
            saga.complete();
            observed.deed(Seen.Saga::complete);
        }

        void fail(String reason) {
            saga.fail(reason);
            observed.deed(seen -> seen.fail(reason));
        }

        /** Fails as planned, after all of it. */
        State returns(State state) {
            throwNext(plan, List.of());
            return state;
        }
    }
}
