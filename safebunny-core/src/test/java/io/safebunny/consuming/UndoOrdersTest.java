// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.InterveningStore;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * A step and its undo in random orders, with duplicates, failures, crashes, poison and replays, one within the other and between
 * any two operations of the store. Whatever happens: in the end the step never ran, or its undo ran after it; the saga is told
 * once; and nothing waits for ever.
 */
@Tag("once")
class UndoOrdersTest {

    private static final int ORDERS = 10_000;
    private static final int MOST_ROUNDS = 200;
    private static final RecoveryPolicy TWO_ATTEMPTS =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.after(Duration.ofSeconds(1)));

    private final Logger log = (Logger) LoggerFactory.getLogger("io.safebunny.dedup");
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final InterveningStore store =
            new InterveningStore(new MemoryMessageStore(timeline, Participant.RETENTION));
    private final Participant node = new Participant(timeline, store, TWO_ATTEMPTS);
    private final Map<String, Integer> seen = new TreeMap<>();

    @BeforeEach
    void beSilent() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void stop() {
        log.setLevel(null);
        node.stop();
    }

    @Test
    void leaveNoEffectBehind() {
        long first = Long.getLong("safebunny.test.seed", System.nanoTime());
        for (int i = 0; i < ORDERS; i++) {
            long seed = first + i;
            Order order = new Order(seed);
            try {
                order.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "With -Dsafebunny.test.seed=%d: %s%n%s".formatted(seed, order.story, e.getMessage()), e);
            }
        }
        // what happened in enough of the orders to be worth the test
        assertThat(seen).containsOnlyKeys("ran", "ran after a step", "poisoned step", "poisoned undo", "crash");
        assertThat(seen.values()).allSatisfy(times -> assertThat(times).isGreaterThan(ORDERS / 50));
    }

    /** The process ends: nobody hears of it but the broker, which delivers again. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final class Order {

        final List<String> story = new ArrayList<>();
        private final Random random;
        private final Wires step;
        private final Wires undo;
        private final List<WireMessage> waiting = new ArrayList<>();
        private final List<WireMessage> poison = new ArrayList<>();
        private final List<OutboundMessage> acknowledged = new ArrayList<>();
        private boolean calm;
        private boolean crashed;
        private boolean lost;
        private int depth;
        private RecordedDelivery outermost = Participant.deliveryOf(Participant.STEP.wire());

        Order(long seed) {
            this.random = new Random(seed);
            long now = timeline.now().toEpochMilli();
            this.step = Participant.STEP.with("correlation_id", "c" + seed).withHeader("sb-sent-at", now);
            this.undo = Participant.UNDO.with("correlation_id", "c" + seed).withHeader("sb-sent-at", now);
        }

        void run() {
            node.effects.clear();
            node.transport.answerAll(this::route);
            node.step = (payload, context) -> handle("step");
            node.undo = (payload, context) -> handle("undo");
            store.beforeFind(this::intervene);
            store.beforeWrite(this::intervene);
            send(random.nextBoolean() ? step : undo);
            for (int actions = 4 + random.nextInt(12); actions > 0; actions--) {
                act();
            }
            send(undo);
            if (random.nextInt(4) > 0) {
                send(step);
            }
            calm = true;
            settle();
            check();
        }

        private void act() {
            switch (random.nextInt(8)) {
                case 0 -> send(step);
                case 1 -> send(undo);
                case 2 -> replay();
                case 3 -> timeline.advance(Duration.ofMillis(random.nextInt(40_000)));
                default -> deliverAny();
            }
        }

        private void send(Wires message) {
            waiting.add(message.wire());
        }

        private void replay() {
            if (!poison.isEmpty()) {
                WireMessage copy = poison.get(random.nextInt(poison.size())); // and it stays there
                waiting.add(copy);
            }
        }

        private void deliverAny() {
            if (!waiting.isEmpty()) {
                deliver(waiting.remove(random.nextInt(waiting.size())));
            }
        }

        private void deliver(WireMessage message) {
            story.add("(" + message.type());
            RecordedDelivery delivery = Participant.deliveryOf(message);
            if (depth == 0) {
                outermost = delivery;
            }
            depth++;
            try {
                node.deliver(delivery);
            } finally {
                depth--;
            }
            if (depth == 0) {
                crashed = false;
            }
            if (delivery.acknowledged() == 0 && !lost) {
                waiting.add(message);
            }
            lost = false;
            story.add(")");
        }

        private void intervene() {
            if (crashed) {
                throw new Crash();
            }
            if (!calm && depth == 1 && random.nextInt(25) == 0) {
                deliverAny();
            }
        }

        private void handle(String what) {
            boolean early = random.nextBoolean();
            if (!early) {
                effect(what);
            }
            if (!calm) {
                happen();
            }
            if (early) {
                effect(what);
            }
        }

        private void effect(String what) {
            node.effects.add(what);
            story.add(what);
        }

        private void happen() {
            switch (random.nextInt(12)) {
                case 0, 1 -> {
                    if (depth < 3) {
                        deliverAny();
                    }
                }
                case 2 -> timeline.advance(Duration.ofMillis(random.nextInt(5_000)));
                case 3, 4 -> throw new IllegalStateException("failed");
                case 5, 6 -> throw new PoisonMessageException("failed for good");
                case 7 -> crash();
                default -> {}
            }
        }

        /** The broker delivers the message again, unless it is lost there: a duplicate remains to be delivered. */
        private void crash() {
            if (depth == 1) {
                count("crash");
                story.add("crash");
                outermost.closed();
                crashed = true;
                lost = random.nextInt(3) == 0;
                throw new Crash();
            }
        }

        private CompletableFuture<Void> route(OutboundMessage message) {
            if (message.route() instanceof Route.Poison) {
                count("poisoned " + ("OrderPlaced".equals(message.message().type()) ? "step" : "undo"));
                poison.add(message.message());
            } else if (message.route() instanceof Route.ToQueue) {
                waiting.add(message.message());
            } else {
                acknowledged.add(message);
            }
            return RecordingTransport.CONFIRM.apply(message);
        }

        /** Until nothing comes back, every poison message has been replayed, and the last replays are done too. */
        private void settle() {
            int replayed = 0;
            for (int rounds = 0; !waiting.isEmpty() || replayed < poison.size(); rounds++) {
                assertThat(rounds).as("rounds").isLessThan(MOST_ROUNDS);
                while (waiting.isEmpty()) {
                    waiting.add(poison.get(replayed++));
                }
                for (int left = waiting.size(); left > 0; left--) {
                    deliverAny();
                }
                timeline.advance(Participant.LEASE.dividedBy(3));
            }
        }

        private void check() {
            int lastStep = node.effects.lastIndexOf("step");
            int lastUndo = node.effects.lastIndexOf("undo");
            assertThat(acknowledged).as("acknowledgements").hasSize(1);
            assertThat(lastUndo).as("the last undo").isNotNegative();
            assertThat(lastUndo).as("the last undo after the last step").isGreaterThanOrEqualTo(lastStep);
            count("ran");
            if (lastStep >= 0) {
                count("ran after a step");
            }
        }

        private void count(String what) {
            seen.merge(what, 1, Integer::sum);
        }
    }
}
