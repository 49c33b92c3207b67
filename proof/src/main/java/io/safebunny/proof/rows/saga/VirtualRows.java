// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.proof.model.Fate;
import io.safebunny.proof.model.Interleavings;
import io.safebunny.proof.model.World;
import io.safebunny.proof.model.saga.TimeoutSaga;
import io.safebunny.proof.model.saga.TimeoutSaga.Begin;
import io.safebunny.proof.model.saga.TimeoutSaga.Move;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The rows in memory and virtual time. */
final class VirtualRows {

    private static final int MODEL_FULL = 100_000;
    private static final int MODEL_QUICK = 3_000;
    private static final int ORDERS_FULL = 10_000;
    private static final int ORDERS_QUICK = 2_000;
    private static final int TIMEOUTS_FULL = 10_000;
    private static final int TIMEOUTS_QUICK = 2_000;
    private static final int MOVES = 1_000;
    private static final int TOURS_FULL = 1_000;
    private static final int TOURS_QUICK = 200;
    private static final int REPORTED = 1_000;
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    private VirtualRows() {}

    static Finding model(Effort effort) {
        return many(effort, Interleavings.ofSagas(store -> store), effort.of(MODEL_FULL, MODEL_QUICK));
    }

    static Finding undoOrders(Effort effort) {
        return many(effort, Interleavings.ofUndos(store -> store), effort.of(ORDERS_FULL, ORDERS_QUICK));
    }

    private static Finding many(Effort effort, Interleavings all, int count) {
        String deviation = all.run(effort.seed(), count, done -> {
            if (done % REPORTED == 0) {
                effort.progress().accept(done + " of " + count);
            }
        });
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("interleavings", all.done());
        figures.put("deviations", deviation.isEmpty() ? 0 : 1);
        if (!deviation.isEmpty()) {
            figures.put("deviation", deviation);
        }
        figures.put("happened", all.seen());
        return new Finding(deviation.isEmpty() && all.done() >= count, figures);
    }

    // ---- timeouts

    static Finding timeoutsLost(Effort effort) {
        World world = new World(null);
        TimeoutSaga saga = new TimeoutSaga(world.timeline()::now);
        int count = effort.of(TIMEOUTS_FULL, TIMEOUTS_QUICK);
        world.be(losing());
        world.start("desk", null, List.of());
        world.start("waits", world.newStore(), List.of(), saga);
        Instant due = world.timeline().now().plus(TEN_MINUTES);
        for (int i = 0; i < count; i++) {
            world.publish("desk", new Begin(10), "wait-" + i);
        }
        world.settle();
        world.be(Fate.KIND);
        world.pass(TEN_MINUTES.plus(world.lease().multipliedBy(4)), STEP);
        List<Instant> runs = saga.runs();
        long late = runs.stream()
                .mapToLong(run -> Duration.between(due, run).toMillis())
                .max()
                .orElse(-1);
        boolean early = runs.stream().anyMatch(run -> run.isBefore(due));
        return new Finding(
                runs.size() == count
                        && !early
                        && late <= world.lease().multipliedBy(2).toMillis(),
                Map.of("timeouts", count, "ran", runs.size(), "latest after ms", late));
    }

    /** Delayed messages are confirmed and get lost, as when the queues in which they wait are purged. */
    private static Fate losing() {
        return new Fate() {
            @Override
            public int arrivals(OutboundMessage message) {
                return message.delay().isZero() ? 1 : 0;
            }
        };
    }

    static Finding timeoutMoved(Effort effort) {
        World world = new World(null);
        TimeoutSaga saga = new TimeoutSaga(world.timeline()::now);
        AtomicInteger messages = new AtomicInteger();
        world.witness((instance, message) -> {
            if ("BunnyTimeout".equals(message.message().type())) {
                messages.incrementAndGet();
            }
        });
        world.start("desk", null, List.of());
        world.start("waits", world.newStore(), List.of(), saga);
        Instant begun = world.timeline().now();
        world.publish("desk", new Begin(10), "wait");
        for (int move = 0; move < MOVES; move++) { // all within the first nine of ten minutes
            world.pass(Duration.ofMinutes(9).dividedBy(MOVES), STEP);
            world.publish("desk", new Move(10), "wait");
            world.settle();
        }
        world.pass(Duration.ofMinutes(12), STEP);
        Duration ran = saga.runs().isEmpty()
                ? Duration.ZERO
                : Duration.between(begun, saga.runs().get(0));
        return new Finding(
                messages.get() <= 2 && saga.runs().size() == 1 && ran.compareTo(Duration.ofMinutes(18)) > 0,
                Map.of(
                        "moves",
                        MOVES,
                        "messages",
                        messages.get(),
                        "ran",
                        saga.runs().size(),
                        "after s",
                        ran.toSeconds()));
    }

    // ---- versions

    static Finding versions(Effort effort) {
        return many(effort, Interleavings.ofVersions(), effort.of(TOURS_FULL, TOURS_QUICK));
    }
}
