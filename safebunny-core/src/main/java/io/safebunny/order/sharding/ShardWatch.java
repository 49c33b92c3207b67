// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.failure.BrowsingException;
import io.safebunny.handler.Sharding;
import io.safebunny.message.OrderKey;
import io.safebunny.node.Node;
import io.safebunny.order.sharding.Division.Change;
import io.safebunny.order.sharding.ShardStatus.Line;
import io.safebunny.order.sharding.ShardStatus.Resize;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks whether each shard is consumed by some instance, and whether changes come to an end. Thread-safe. */
final class ShardWatch {

    private static final Logger LOG = LoggerFactory.getLogger(ShardWatch.class);

    /** A change that takes longer is a problem. */
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Node node;
    private final Map<String, Divided> byType;
    /** Shards that nobody consumed at the last look. Used by one thread. */
    private Map<String, Set<Integer>> unheard = Map.of();

    private volatile List<String> problems = List.of();

    /** @param byType the types, as far as they are known */
    ShardWatch(Node node, Map<String, Divided> byType) {
        this.node = node;
        this.byType = byType;
    }

    List<String> problems() {
        return problems;
    }

    /** Called by one thread at a time. */
    void look() {
        Map<String, Set<Integer>> now = new HashMap<>();
        List<String> found = new ArrayList<>();
        Map<String, BunnyCircuitBreaker.Status> breakers = node.breakers().statuses();
        byType.forEach((type, divided) -> {
            ShardStatus status = status(divided, false);
            if (isConsumed(breakers.get(type))) {
                Set<Integer> silent = silent(status);
                now.put(type, silent);
                // between two instances a shard has no consumer for a moment
                Set<Integer> twice = new TreeSet<>(silent);
                twice.retainAll(unheard.getOrDefault(type, Set.of()));
                if (!twice.isEmpty()) {
                    found.add(
                            "No instance listens to shards %s of %s: their messages wait. Start one whose listen names them."
                                    .formatted(twice, type));
                }
            }
            Resize change = status.change();
            if (change != null
                    && change.since().plus(LONG).isBefore(node.timeline().now())) {
                found.add(
                        "%s is to have %s shards instead of %s since %s, and nothing is forwarded until shards %s have handled what they had before. GET safebunny/shards tells what waits in them."
                                .formatted(type, change.to(), change.from(), change.since(), change.undrained()));
            }
        });
        List<String> before = problems;
        problems = List.copyOf(found);
        unheard = now;
        found.stream().filter(problem -> !before.contains(problem)).forEach(LOG::warn);
    }

    /**
     * Why messages of an order key may wait that nobody has begun: parts of sentences, empty if there is no reason. Asks the store once
     * for each type, and the broker twice.
     */
    List<String> troubles(OrderKey key) {
        Map<String, BunnyCircuitBreaker.Status> breakers = node.breakers().statuses();
        List<String> troubles = new ArrayList<>();
        byType.forEach((type, divided) -> {
            if (isConsumed(breakers.get(type))) {
                addTroubles(troubles, divided, key);
            }
        });
        return troubles;
    }

    private void addTroubles(List<String> troubles, Divided divided, OrderKey key) {
        Division division;
        try {
            division = divided.shared().read().division();
        } catch (RuntimeException e) {
            return; // part store tells of that
        }
        if (division == null || division.count() == 0) {
            return;
        }
        int number = Sharding.into(division.count()).of(key);
        Line line = line(divided, number, true);
        if (Boolean.FALSE.equals(line.isHeard()) && line.waiting() != null && line.waiting() > 0) {
            troubles.add("no instance listens to shard %s of %s, where %s: those of order key %s would be among them"
                    .formatted(
                            number,
                            divided.type(),
                            line.waiting() == 1 ? "1 message waits" : line.waiting() + " messages wait",
                            key.value()));
        }
        Change change = division.change();
        if (change != null) {
            troubles.add(
                    "%s is to have %s shards instead of %s since %s: until shards %s have handled what they had before, those of order key %s may wait in its queue"
                            .formatted(
                                    divided.type(),
                                    change.to(),
                                    division.count(),
                                    change.since(),
                                    division.undrained(),
                                    key.value()));
        }
    }

    /** Not if it is paused. */
    private static boolean isConsumed(BunnyCircuitBreaker.@Nullable Status breaker) {
        return breaker == null || breaker.state() == BunnyCircuitBreaker.State.CLOSED;
    }

    private static Set<Integer> silent(ShardStatus status) {
        Set<Integer> silent = new TreeSet<>();
        for (Line line : status.shards()) {
            if (Boolean.FALSE.equals(line.isHeard())) {
                silent.add(line.shard());
            }
        }
        return silent;
    }

    /** @param withDepths whether to ask how much waits in each */
    ShardStatus status(Divided divided, boolean withDepths) {
        Division division = null;
        String problem = null;
        try {
            division = divided.shared().read().division();
        } catch (RuntimeException e) {
            problem = "The store does not tell how the messages are divided: " + e.getMessage();
        }
        List<Line> lines = new ArrayList<>();
        int most = division == null ? divided.most() : Math.max(divided.most(), division.most());
        for (int number = 0; number < most; number++) {
            lines.add(line(divided, number, withDepths));
        }
        Change change = division == null ? null : division.change();
        return new ShardStatus(
                divided.type(),
                divided.sharding().count(),
                division == null ? null : division.count(),
                division == null || change == null
                        ? null
                        : new Resize(division.count(), change.to(), change.since(), List.copyOf(division.undrained())),
                lines,
                problem);
    }

    private Line line(Divided divided, int number, boolean withDepth) {
        Transport transport = node.transport();
        String queue = divided.shard(number);
        OptionalLong waiting;
        OptionalInt consumers;
        try {
            waiting = withDepth ? transport.depth(queue) : OptionalLong.empty();
            consumers = transport.consumers(queue);
        } catch (BrowsingException e) { // no connection, or no permission
            waiting = OptionalLong.empty();
            consumers = OptionalInt.empty();
        }
        @Nullable Long depth = waiting.isPresent() ? waiting.getAsLong() : null;
        @Nullable Boolean isHeard = consumers.isPresent() ? consumers.getAsInt() > 0 : null;
        return new Line(number, depth, isHeard, divided.listensTo(number));
    }
}
