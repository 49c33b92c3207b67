// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.test.scheduler.DeterministicScheduler;
import io.safebunny.test.simulation.run.Violation;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the time after the retention: everything published is delivered once more, and nothing may be handled again. For the run's caller.
 */
final class Afterwards {

    static final String NOT_AGAIN = "what is forgotten is not handled again";

    /** Number of retentions to wait: ended sagas are released after one, and expire like messages after another. */
    private static final int RETENTIONS = 2;

    private static final int LEASES_TO_FORGET = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final World world;
    private final DeterministicScheduler scheduler;

    Afterwards(World world, DeterministicScheduler scheduler) {
        this.world = world;
        this.scheduler = scheduler;
    }

    /** @param goOn lets the system run until nothing happens any more */
    @Nullable
    Violation judge(Duration retention, Supplier<@Nullable Violation> goOn) {
        for (int i = 0; i < RETENTIONS; i++) {
            scheduler.advance(retention);
            for (int leases = 0; leases < LEASES_TO_FORGET; leases++) {
                scheduler.advance(World.LEASE);
                scheduler.runUntilIdle();
            }
        }
        Map<String, Integer> before = world.system().effects().all();
        List<OutboundMessage> published = world.published();
        published.forEach(this::comesAgain);
        Violation violation = goOn.get();
        if (violation != null) {
            return violation;
        }
        Map<String, Integer> after = world.system().effects().all();
        if (!after.equals(before)) {
            return new Violation(NOT_AGAIN, "%s, and before that time %s".formatted(after, before));
        }
        return published.stream()
                .map(this::handled)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private void comesAgain(OutboundMessage message) {
        WireMessage wire = message.message();
        for (Map.Entry<String, Instance> node : world.nodes().entrySet()) {
            if (Judgement.handles(node.getValue(), wire)) {
                Route queue = new Route.ToQueue(node.getKey() + "-" + wire.type());
                new MemoryTransport(world.broker(), TopologyOptions.defaults())
                        .send(
                                new OutboundMessage(wire, queue, Duration.ZERO),
                                Deadline.after(PATIENCE, node.getValue().timeline()))
                        .join();
            }
        }
    }

    /**
     * A violation unless every node has refused the message as too old. SafeBunny's own messages are not refused for their age; they find
     * no saga.
     */
    private @Nullable Violation handled(OutboundMessage message) {
        WireMessage wire = message.message();
        if (MessageTypes.isReserved(String.valueOf(wire.type()))) {
            return null;
        }
        for (Map.Entry<String, Instance> node : world.nodes().entrySet()) {
            if (Judgement.handles(node.getValue(), wire) && !isTooOld(node.getKey(), wire)) {
                return new Violation(
                        NOT_AGAIN,
                        "%s of %s, at %s, is not set aside as too old"
                                .formatted(wire.type(), wire.correlationId(), node.getKey()));
            }
        }
        return null;
    }

    private boolean isTooOld(String node, WireMessage message) {
        return world.broker().messages(Topology.poisonOf(node)).stream()
                .anyMatch(copy -> Objects.equals(copy.messageId(), message.messageId())
                        && PoisonReason.TOO_OLD.wireName().equals(copy.headers().get(Headers.POISON_REASON)));
    }
}
