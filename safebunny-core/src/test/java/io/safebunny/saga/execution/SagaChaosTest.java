// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.fixture.UnreliableStore.Fault;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.SagaFailed;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.Captured;
import io.safebunny.saga.execution.OrderSaga.Declined;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Sagas among everything that can go wrong: messages twice or never, answers of the store lost, participants that decline, fall silent, fail
 * or set aside, two instances, and a person who repairs at the end. Whatever happened, no effect of a failed order is left behind, and a
 * completed one has all of them.
 */
@Tag("once")
class SagaChaosTest {

    private static final int SEEDS = 60;
    private static final int ORDERS = 25;

    @Test
    void leavesNoEffectBehind() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                new Chaos(seed).run();
            } catch (Throwable e) {
                throw new AssertionError("with seed " + seed, e);
            }
        }
    }

    private static final class Chaos {

        private final Random random;
        private final SagaWorld world = new SagaWorld();
        private final OrderSaga saga = new OrderSaga();
        private final UnreliableStore store =
                new UnreliableStore(new MemoryMessageStore(world.timeline, Duration.ofDays(7)));
        private final Set<String> reserved = new HashSet<>();
        private final Set<String> captured = new HashSet<>();
        private final List<String> undone = new ArrayList<>();
        private final Map<String, Integer> failed = new HashMap<>();
        private boolean healed;

        Chaos(long seed) {
            random = new Random(seed);
        }

        void run() {
            start();
            for (int i = 1; i <= ORDERS; i++) {
                var unused = world.bunny("storefront")
                        .publish(
                                new PlaceOrder("" + i, i), PublishOptions.none().withCorrelationId("order-" + i));
                if (random.nextInt(3) == 0) {
                    world.pass(Duration.ofSeconds(random.nextInt(20)));
                }
            }
            world.pass(Duration.ofMinutes(20));
            heal();
            judge();
        }

        private void start() {
            world.arrivals = message -> healed ? 1 : message.delay().isZero() ? 1 + random.nextInt(8) / 7 : 1;
            disturbStore();
            world.start("storefront", List.of());
            world.start("orders", store, List.of(), saga);
            world.start("orders", store, List.of(), saga);
            world.start(
                    "warehouse",
                    List.of(
                            SagaWorld.handler("orders", ReserveStock.class, (payload, context) -> {
                                String order = ((ReserveStock) payload).order();
                                mayFail(true);
                                assertThat(reserved.add(order)).isTrue();
                                if (answers()) {
                                    var unused = world.bunny("warehouse").publish(new StockReserved(order));
                                }
                            }),
                            SagaWorld.handler("orders", ReleaseStock.class, (payload, context) -> {
                                mayFail(false);
                                String order = ((ReleaseStock) payload).order();
                                assertThat(undone).doesNotContain("release " + order);
                                boolean unused = reserved.remove(order); // the step may have failed
                                undone.add("release " + order);
                            })));
            world.start(
                    "billing",
                    List.of(
                            SagaWorld.handler("orders", Capture.class, (payload, context) -> {
                                String order = ((Capture) payload).order();
                                mayFail(true);
                                if (random.nextInt(5) == 0) {
                                    var unused = world.bunny("billing").publish(new Declined(order));
                                    return;
                                }
                                assertThat(captured.add(order)).isTrue();
                                if (answers()) {
                                    var unused = world.bunny("billing").publish(new Captured(order));
                                }
                            }),
                            SagaWorld.handler("orders", Refund.class, (payload, context) -> {
                                mayFail(false);
                                String order = ((Refund) payload).order();
                                boolean unused = captured.remove(order); // it may have been declined
                                assertThat(undone).doesNotContain("refund " + order, "release " + order);
                                undone.add("refund " + order);
                            })));
            world.start(
                    "notifications",
                    List.of(SagaWorld.handler(
                            "orders",
                            SagaFailed.class,
                            (payload, context) -> failed.merge(((SagaFailed) payload).sagaId(), 1, Integer::sum))));
        }

        private void disturbStore() {
            for (int write = 0; write < 3_000; write++) {
                store.nextWrites(
                        switch (random.nextInt(60)) {
                            case 0 -> Fault.LOST_ANSWER;
                            case 1 -> Fault.LOST_REQUEST;
                            case 2 -> Fault.THROTTLED;
                            default -> Fault.NONE;
                        });
            }
        }

        private boolean answers() {
            return random.nextInt(8) > 0;
        }

        private void mayFail(boolean step) {
            saga.failing = !healed && random.nextInt(40) == 0;
            if (healed) {
                return;
            }
            if (random.nextInt(6) == 0) {
                throw new IllegalStateException("not now");
            }
            if (random.nextInt(step ? 12 : 6) == 0) {
                throw new PoisonMessageException("never");
            }
        }

        /** A person looks at what does not go on by itself. */
        private void heal() {
            healed = true;
            saga.failing = false;
            for (int round = 0; round < 10; round++) {
                boolean busy = false;
                for (int i = 1; i <= ORDERS; i++) {
                    busy |= repair("order-" + i);
                }
                if (!busy) {
                    return;
                }
                world.pass(Duration.ofMinutes(20));
            }
        }

        private boolean repair(String id) {
            SagaView view = world.saga("orders", id);
            if (view.status() == SagaStatus.STUCK && random.nextBoolean()) {
                world.sagas("orders").fail("OrderSaga", id, "given up");
            } else if (view.status() == SagaStatus.STUCK) {
                world.sagas("orders").resume("OrderSaga", id, "it goes on");
            } else if (!view.blockedOn().isEmpty() && random.nextBoolean()) {
                world.sagas("orders").retry("OrderSaga", id, "mended");
            } else if (view.status() == SagaStatus.COMPENSATION_FAILED) {
                world.sagas("orders").resume("OrderSaga", id, "mended");
            }
            return !view.status().isEnded();
        }

        private void judge() {
            for (int i = 1; i <= ORDERS; i++) {
                String order = "" + i;
                SagaView view = world.saga("orders", "order-" + i);
                assertThat(view.status()).as(view.toString()).matches(SagaStatus::isEnded);
                boolean completed = view.status() == SagaStatus.COMPLETED;
                assertThat(reserved.contains(order)).as(view.toString()).isEqualTo(completed);
                assertThat(captured.contains(order)).as(view.toString()).isEqualTo(completed);
                assertThat(failed.getOrDefault("order-" + i, 0))
                        .as(view.toString())
                        .isEqualTo(completed ? 0 : 1);
            }
        }
    }
}
