// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.order.lane.Lane;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever moves the copy of a message that others wait for decides how they go on. */
class HeldHeadTest {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::add);
    private final MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
    private final List<String> effects = new ArrayList<>();
    private final SafeBunnyEngine engine =
            new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, timeline)
                    .store(new MemoryMessageStore(timeline, OrderedNode.RETENTION))
                    .callbacks(tasks::add)
                    .build());

    private boolean works;

    private void start() {
        engine.start(List.of(new HandlerDefinition(
                        "invoicing.on(OrderPlaced)",
                        "OrderPlaced",
                        OrderPlaced.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> {
                            if (!works && context.messageId().equals("m1")) {
                                throw new IllegalStateException("no stock");
                            }
                            effects.add(context.messageId());
                        })
                .ordered(Ordering.HOLD)));
        settle();
    }

    private void settle() {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
            next.run();
        }
    }

    private void deliver(String id) {
        var unused = transport
                .send(
                        new OutboundMessage(
                                OrderedNode.message(id).wire(),
                                new Route.ToQueue("billing-OrderPlaced"),
                                Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
        settle();
    }

    private static PoisonRequest all() {
        return PoisonRequest.of(PoisonFilter.all(), "tester", "a test order");
    }

    private void goOn() {
        settle();
        timeline.advance(Duration.ofSeconds(1));
        settle();
    }

    @Test
    void letsTheOthersGoOnWithoutItWhenItIsDiscarded() {
        start();
        Stream.of("m1", "m2").forEach(this::deliver);
        assertThat(effects).isEmpty();

        var dry = engine.get(PoisonMessages.class).discard(all().asDryRun());
        goOn();
        assertThat(dry.progress().matched()).isEqualTo(1);
        assertThat(effects).as("it was dry").isEmpty();
        var discarded = engine.get(PoisonMessages.class).discard(all());
        goOn();

        assertThat(discarded.progress().moved()).isEqualTo(1);
        assertThat(broker.messages("billing-poison-archive")).hasSize(1);
        assertThat(effects).containsExactly("m2");
    }

    @Test
    void mayBeRestoredAndReplayedAfterThem() {
        start();
        Stream.of("m1", "m2").forEach(this::deliver);
        var unused = engine.get(PoisonMessages.class).discard(all());
        goOn();
        works = true;

        unused = engine.get(PoisonMessages.class).restore(all());
        goOn();
        unused = engine.get(PoisonMessages.class).replay(all());
        goOn();

        assertThat(effects).containsExactly("m2", "m1");
    }

    /** What waits for room is before the replay in the queue, and gets it by the replay only. */
    @Test
    void isReplayedAlthoughNoMoreMessagesMayWaitForIt() {
        start();
        List<String> all = Stream.concat(
                        Stream.of("m1"),
                        IntStream.rangeClosed(0, Lane.MOST_PARKED).mapToObj(i -> "p" + i))
                .toList();
        all.forEach(this::deliver);
        deliver("last");
        goOn();
        assertThat(effects).isEmpty();
        works = true;

        var unused = engine.get(PoisonMessages.class).replay(all());
        goOn();
        goOn();

        assertThat(effects)
                .startsWith(all.toArray(String[]::new))
                .endsWith("last")
                .hasSize(all.size() + 1);
    }
}
