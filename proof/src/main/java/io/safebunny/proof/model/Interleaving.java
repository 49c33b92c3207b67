// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.message.WireMessage;
import io.safebunny.proof.model.saga.BookSaga;
import io.safebunny.proof.model.saga.ParcelSaga;
import io.safebunny.proof.model.saga.ShopSaga;
import io.safebunny.proof.model.saga.ShopSaga.Note;
import io.safebunny.proof.model.saga.ShopSaga.PlaceOrder;
import io.safebunny.proof.model.saga.ShopSaga.Wait;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Some sagas at once among everything that can go wrong: messages in any order, twice, too early and too late, handlers of two
 * instances within each other's store operations, timeouts, answers of the store that get lost, participants that decline, fall
 * silent, fail and set aside, instances that end between any two operations, replays, and people who repair without being asked to.
 * Each write is compared with the model at once; at the end, everything must have ended, and no failed saga left an effect.
 */
public final class Interleaving {

    private static final Duration STEP = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(6);
    private static final int MOST_REPAIRS = 12;
    private static final int ACTIONS = 12;

    private final Random random;
    private final int sagas;
    private final UnaryOperator<MessageStore> stores;
    private final World world;
    private final Watch watch = new Watch();
    private final Map<String, MessageStore> storeOf = new HashMap<>();
    private final Map<String, Integer> points = new TreeMap<>();
    private final Map<String, Integer> grams = new TreeMap<>();
    private int placed;
    private final Chaos chaos;
    private final Participants participants;
    private final Repairs repairs;

    /**
     * @param stores what stands between an engine and its store
     * @param seen counts what happened
     */
    public Interleaving(long seed, int sagas, UnaryOperator<MessageStore> stores, Map<String, Integer> seen) {
        this.random = new Random(seed);
        this.sagas = sagas;
        this.stores = stores;
        this.world = new World(random);
        this.chaos = new Chaos(world, random, seen);
        this.participants = new Participants(world, chaos);
        this.repairs = new Repairs(world, chaos, random);
    }

    /** @throws DeviationException something is not as the model says */
    public void run() {
        world.be(chaos);
        world.witness(watch::sent);
        List.of("storefront", "warehouse", "billing", "notifications", ShopSaga.NODE, ShopSaga.NODE)
                .forEach(this::start);
        chaos.calm(false);
        for (int actions = ACTIONS * sagas; actions > 0 || placed < sagas; actions--) {
            act();
            revive();
            watch.check();
        }
        chaos.calm(true);
        heal();
        judge();
    }

    /** An instance that ends while it starts has done nothing yet. */
    private void start(String node) {
        MessageStore store = storeOf.computeIfAbsent(node, this::newStore);
        chaos.calmly(() -> {
            if (node.equals(ShopSaga.NODE)) {
                world.start(
                        node, store, List.of(), new ShopSaga(() -> chaos.chance(25)), new BookSaga(), new ParcelSaga());
            } else {
                world.start(node, store, participants.handlers(node));
            }
        });
    }

    private MessageStore newStore(String node) {
        MessageStore store = world.newStore();
        return stores.apply(node.equals(ShopSaga.NODE) ? new WitnessStore(store, watch::wrote) : store);
    }

    private void revive() {
        for (Instance dead : world.bury()) {
            start(dead.node());
        }
    }

    // ---- what happens

    private void act() {
        switch (random.nextInt(15)) {
            case 0, 1, 2 -> place();
            case 3 -> send(new Note(1 + random.nextInt(100)));
            case 4 -> mark(1 + random.nextInt(100));
            case 5 -> send(new Wait(random.nextInt(400)));
            case 14 -> pack(1 + random.nextInt(100));
            case 6 -> {
                if (random.nextInt(3) == 0 && placed > 0) {
                    repairs.repair("order-" + (1 + random.nextInt(placed)));
                }
            }
            case 7 -> replay();
            case 8, 9 -> chaos.advance(Duration.ofSeconds(random.nextInt(30)));
            default -> {
                for (int tasks = random.nextInt(12); tasks > 0 && chaos.next(); tasks--) {
                    revive();
                }
            }
        }
    }

    private void place() {
        if (placed < sagas) {
            placed++;
            chaos.count("sagas");
            world.publish("storefront", new PlaceOrder(order(placed), random.nextInt(1_000)), "order-" + placed);
        }
    }

    private static String order(int number) {
        return Integer.toString(number);
    }

    /** Perhaps too early. */
    private void send(Object message) {
        world.publish("storefront", message, any());
    }

    private String any() {
        return "order-" + (1 + random.nextInt(Math.min(sagas, placed + 1)));
    }

    private void mark(int more) {
        String id = any();
        points.merge(id, more, Integer::sum);
        world.publish("storefront", new BookSaga.Mark(more), id);
    }

    /** Of any order, in one of a few parcels. */
    private void pack(int more) {
        String parcel = "parcel-" + (1 + random.nextInt(4));
        grams.merge(parcel, more, Integer::sum);
        send(new ParcelSaga.Pack(parcel, more));
    }

    private void replay() {
        String node = List.of("warehouse", "billing", ShopSaga.NODE).get(random.nextInt(3));
        List<WireMessage> copies = world.broker().messages(node + "-poison");
        if (!copies.isEmpty()) {
            chaos.count("replays");
            world.replay(node, copies.get(random.nextInt(copies.size())));
        }
    }

    // ---- the end

    private void pass() {
        for (Duration left = LONG; !left.isNegative(); left = left.minus(STEP)) {
            chaos.advance(STEP);
            while (chaos.next()) {
                watch.check();
            }
            revive();
        }
    }

    /** A person looks at what does not go on by itself. */
    private void heal() {
        pass();
        for (int round = 0; round < MOST_REPAIRS; round++) {
            boolean busy = false;
            for (int number = 1; number <= sagas; number++) {
                busy |= repairs.mend("order-" + number);
            }
            if (!busy) {
                return;
            }
            pass();
        }
    }

    private void judge() {
        watch.check();
        Map<String, String> wrong = new TreeMap<>();
        for (int number = 1; number <= sagas; number++) {
            String id = "order-" + number;
            ShopModel model = watch.model(id);
            String problem = judge(id, order(number), model);
            if (!problem.isEmpty()) {
                wrong.put(id, problem + ": " + world.saga(ShopSaga.NODE, ShopSaga.NAME, id));
            }
            chaos.count("ended " + model.status());
        }
        points.forEach((id, sum) -> {
            String problem = BookSaga.judge(world.saga(ShopSaga.NODE, BookSaga.NAME, id), sum);
            if (!problem.isEmpty()) {
                wrong.merge(id, problem, (one, other) -> one + "; " + other);
            }
            chaos.count("books");
        });
        grams.forEach((parcel, sum) -> {
            String problem = ParcelSaga.judge(world.saga(ShopSaga.NODE, ParcelSaga.NAME, parcel), parcel, sum);
            if (!problem.isEmpty()) {
                wrong.put(parcel, problem);
            }
            chaos.count("parcels");
        });
        if (!wrong.isEmpty()) {
            throw new DeviationException(wrong.toString());
        }
        if (watch.unsent() > 0) {
            throw new DeviationException(watch.unsent() + " publications of handled messages were never sent");
        }
    }

    private String judge(String id, String order, ShopModel model) {
        SagaStatus status = model.status();
        if (!status.isEnded()) {
            return "has not ended";
        }
        boolean isReserved = participants.isReserved(order);
        if (isLeft(model, status, "stock", isReserved)) {
            return "stock is " + (isReserved ? "reserved" : "not reserved");
        }
        boolean isCaptured = participants.isCaptured(order);
        if (isLeft(model, status, "pay", isCaptured)) {
            return "payment is " + (isCaptured ? "captured" : "not captured");
        }
        int told = participants.failuresTold(id);
        return told == (status == SagaStatus.FAILED ? 1 : 0) ? "" : "SagaFailed was published %s times".formatted(told);
    }

    /** A step that somebody skipped is that person's business. */
    private static boolean isLeft(ShopModel model, SagaStatus status, String name, boolean isThere) {
        StepStatus step = model.steps().status(name);
        if (step == StepStatus.SKIPPED) {
            return false;
        }
        return isThere != (status == SagaStatus.COMPLETED);
    }
}
