// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.BunnyHandler;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Steps and their undos at a participant in random orders, each several times, with failures, crashes, poison and replays. In the end
 * no effect is left, and each saga knows. Confined to one thread.
 */
public final class UndoOrders {

    private static final String SAGA = "Pair";
    private static final String PARTICIPANT = "warehouse";
    private static final Duration STEP = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final int ACTIONS = 14;
    private static final int MOST_ROUNDS = 30;

    record Begin(String order) {}

    record Do(String order) {}

    record Undo(String order) {}

    /** One step, and nothing else. */
    @BunnySaga(name = SAGA, participants = PARTICIPANT)
    static final class Pair {
        record State(String order) {}

        @Starts
        @BunnyHandler(from = "storefront")
        State on(Begin begin, SagaContext saga) {
            saga.step("only", new Do(begin.order()), new Undo(begin.order()));
            return new State(begin.order());
        }
    }

    private final int orders;
    private final Random random;
    private final World world;
    private final Chaos chaos;
    private final MessageStore store;
    private final Set<String> effects = new TreeSet<>();
    private final List<WireMessage> kept = new ArrayList<>();
    private final Map<String, WireMessage> undos = new HashMap<>();
    private int replayed;

    /**
     * @param stores what stands between the participant and its store
     * @param seen counts what happened
     */
    public UndoOrders(long seed, int orders, UnaryOperator<MessageStore> stores, Map<String, Integer> seen) {
        this.orders = orders;
        this.random = new Random(seed);
        this.world = new World(random);
        this.chaos = new Chaos(world, random, seen);
        this.store = stores.apply(world.newStore());
    }

    /** @throws DeviationException an effect is left, or an undo is not known to its saga */
    public void run() {
        world.be(new Withholding());
        world.start("storefront", null, List.of());
        startParticipant();
        startParticipant();
        world.start("orders", world.newStore(), List.of(), new Pair());
        for (int order = 1; order <= orders; order++) {
            world.publish("storefront", new Begin("" + order), "order-" + order);
            world.settle();
            world.instance("orders").engine().get(Sagas.class).fail(SAGA, "order-" + order, "as the proof wants");
            world.settle();
        }
        chaos.calm(false);
        for (int actions = ACTIONS * orders; actions > 0; actions--) {
            act();
            revive();
        }
        undos.values().forEach(undo -> world.replay(PARTICIPANT, undo));
        for (int sent = orders; sent > 0; sent--) {
            deliverAny();
        }
        chaos.calm(true);
        settle();
        judge();
    }

    /** Keeps commands and undos back, which are delivered at random. */
    private final class Withholding implements Fate {
        @Override
        public void reached(Instance instance) {
            if (instance.node().equals(PARTICIPANT)) {
                chaos.reached(instance);
            }
        }

        @Override
        public void beforeWrite() {
            chaos.beforeWrite();
        }

        @Override
        public void afterWrite() {
            chaos.afterWrite();
        }

        @Override
        public int arrivals(OutboundMessage message) {
            String type = String.valueOf(message.message().type());
            boolean first = message.message().body().length > 0 // the notice of one that was set aside has none
                    && message.message().appId() != null
                    && message.message().appId().equals("orders")
                    && message.route() instanceof io.safebunny.transport.Route.ToSubscribers;
            if (first && (type.equals("Do") || type.equals("Undo"))) {
                kept.add(message.message());
                if (type.equals("Undo")) {
                    undos.put(String.valueOf(message.message().correlationId()), message.message());
                }
                return 0;
            }
            return chaos.arrivals(message);
        }
    }

    private void startParticipant() {
        chaos.calmly(() -> world.start(
                PARTICIPANT,
                store,
                List.of(
                        World.handler("orders", Do.class, (payload, context) -> {
                            chaos.trouble();
                            effects.add(((Do) payload).order());
                            chaos.count("steps");
                            chaos.trouble();
                        }),
                        World.handler("orders", Undo.class, (payload, context) -> {
                            chaos.trouble();
                            boolean unused = effects.remove(((Undo) payload).order());
                            chaos.count("undos");
                            chaos.trouble();
                        }))));
    }

    private void revive() {
        for (Instance dead : world.bury()) {
            if (dead.node().equals(PARTICIPANT)) {
                startParticipant();
            }
        }
    }

    private void act() {
        switch (random.nextInt(6)) {
            case 0, 1 -> deliverAny();
            case 2 -> replayAny();
            case 3 -> chaos.advance(Duration.ofSeconds(random.nextInt(40)));
            default -> {
                for (int tasks = random.nextInt(6); tasks > 0 && chaos.next(); tasks--) {
                    revive();
                }
            }
        }
    }

    private void deliverAny() {
        if (!kept.isEmpty()) {
            world.replay(PARTICIPANT, kept.get(random.nextInt(kept.size())));
        }
    }

    private void replayAny() {
        List<WireMessage> copies = world.broker().messages(PARTICIPANT + "-poison");
        if (!copies.isEmpty()) {
            chaos.count("replays");
            world.replay(PARTICIPANT, copies.get(random.nextInt(copies.size())));
        }
    }

    /** Until every poison copy has been replayed. */
    private void settle() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            for (Duration left = LONG; !left.isNegative(); left = left.minus(STEP)) {
                revive();
                chaos.advance(STEP);
                while (chaos.next()) {
                    // whatever is left
                }
            }
            List<WireMessage> copies = world.broker().messages(PARTICIPANT + "-poison");
            if (replayed == copies.size()) {
                return;
            }
            for (; replayed < copies.size(); replayed++) {
                world.replay(PARTICIPANT, copies.get(replayed));
            }
        }
        throw new DeviationException("poison messages come back for ever");
    }

    private void judge() {
        if (!effects.isEmpty()) {
            throw new DeviationException("effects are left of orders " + effects);
        }
        for (int order = 1; order <= orders; order++) {
            SagaView view = world.saga("orders", "order-" + order);
            if (view == null || view.status() != SagaStatus.FAILED) {
                throw new DeviationException("the saga does not know of its undo: " + view);
            }
        }
    }
}
