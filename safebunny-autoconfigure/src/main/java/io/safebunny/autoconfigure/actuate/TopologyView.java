// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.rabbit.preflight.Judgement;
import io.safebunny.rabbit.preflight.QueueDepth;
import io.safebunny.rabbit.preflight.TopologyReport;
import io.safebunny.rabbit.preflight.TopologyWatch;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Is the broker as planned? Each exchange, queue and binding with what the last comparison found out about it, and what is left over behind
 * what is planned. Never waits for the broker: whoever looks has it compared again soon. Thread-safe.
 */
final class TopologyView {

    private static final TopologyReport NOTHING = new TopologyReport(List.of(), null, Map.of(), Map.of(), Map.of());

    private final Supplier<@Nullable Topology> planned;
    private final @Nullable TopologyWatch watch;

    /** What is known of the comparison. */
    private enum State {
        /** No management API is configured, or the transport has none. */
        NOBODY,
        /** The first comparison has not ended. */
        NOT_YET,
        /** The broker did not let itself be compared. */
        FAILED,
        COMPARED
    }

    /** What something is for. */
    private enum Role {
        PUBLICATIONS,
        OWN,
        POISON,
        RETRIES,
        DUE,
        DELAYS,
        UNROUTED,
        HANDLED,
        DEAD_LETTERS,
        ARCHIVE,
        POISON_WATCH
    }

    /** @param watch {@code null} if nobody compares */
    TopologyView(Supplier<@Nullable Topology> planned, @Nullable TopologyWatch watch) {
        this.planned = planned;
        this.watch = watch;
    }

    Map<String, Object> look() {
        Topology topology = planned.get();
        if (topology == null) {
            return Map.of();
        }
        TopologyWatch.Seen seen = watch == null ? null : watch.seen();
        TopologyReport report = seen == null ? NOTHING : seen.best().report();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("node", topology.node());
        view.put("comparison", comparison(seen));
        view.put("exchanges", exchanges(topology, report));
        view.put("queues", queues(topology, report));
        view.put("bindings", bindings(topology, report));
        if (watch != null) {
            watch.lookedAt();
        }
        return view;
    }

    private Map<String, Object> comparison(TopologyWatch.@Nullable Seen seen) {
        Map<String, Object> view = new LinkedHashMap<>();
        if (watch == null || !watch.asks()) {
            view.put("state", State.NOBODY);
            view.put("level", Level.UNKNOWN);
            view.put(
                    "words",
                    "Nobody compares the broker with the plan. On RabbitMQ, set safebunny.topology.management-uri to have it compared.");
            return view;
        }
        NodeCondition condition = watch.condition(seen);
        view.put("state", stateOf(seen));
        view.put("level", condition.level());
        view.put("words", condition.words());
        view.put("asOf", seen == null ? null : seen.asOf());
        view.put("marksAsOf", seen == null ? null : seen.best().asOf());
        view.put(
                "notices",
                seen == null
                        ? List.of()
                        : seen.best().report().broker().stream()
                                .flatMap(judgement -> judgement.findings().stream())
                                .toList());
        return view;
    }

    private static State stateOf(TopologyWatch.@Nullable Seen seen) {
        return seen == null ? State.NOT_YET : seen.report().refusal() == null ? State.COMPARED : State.FAILED;
    }

    private static List<Map<String, Object>> exchanges(Topology topology, TopologyReport report) {
        List<Map<String, Object>> views = new ArrayList<>();
        for (Topology.Exchange exchange : topology.exchanges()) {
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("name", exchange.name());
            view.put("kind", exchange.kind());
            view.put("alternate", exchange.alternate());
            view.put("role", roleOfExchange(exchange.name(), topology.options()));
            views.add(marked(view, report.exchanges().get(exchange.name())));
        }
        return views;
    }

    private static List<Map<String, Object>> queues(Topology topology, TopologyReport report) {
        List<Map<String, Object>> views = new ArrayList<>();
        Map<String, Judgement> others = new LinkedHashMap<>(report.queues());
        for (Topology.Queue queue : topology.queues()) {
            views.add(queue(queue.name(), queue.arguments(), topology, others.remove(queue.name())));
        }
        others.forEach((name, judgement) -> views.add(queue(name, null, topology, judgement)));
        return views;
    }

    /** @param arguments as planned; {@code null} if it is not */
    private static Map<String, Object> queue(
            String name, @Nullable Map<String, Object> arguments, Topology topology, @Nullable Judgement judgement) {
        Role role = roleOfQueue(name, topology);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("name", name);
        view.put("arguments", arguments);
        view.put("role", role);
        view.put("type", role == Role.HANDLED ? name.substring(topology.node().length() + 1) : null);
        marked(view, judgement);
        view.put("depth", judgement == null ? null : depth(judgement));
        return view;
    }

    private static @Nullable Map<String, Object> depth(Judgement judgement) {
        QueueDepth depth = judgement.depth();
        return depth == null
                ? null
                : Map.of(
                        "ready", depth.ready(),
                        "unacknowledged", depth.unacknowledged(),
                        "consumers", depth.consumers());
    }

    private static List<Map<String, Object>> bindings(Topology topology, TopologyReport report) {
        List<Map<String, Object>> views = new ArrayList<>();
        Map<Topology.Binding, Judgement> others = new LinkedHashMap<>(report.bindings());
        for (Topology.Binding binding : topology.bindings()) {
            views.add(binding(binding, others.remove(binding)));
        }
        others.forEach((binding, judgement) -> views.add(binding(binding, judgement)));
        return views;
    }

    private static Map<String, Object> binding(Topology.Binding binding, @Nullable Judgement judgement) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("exchange", binding.exchange());
        view.put("queue", binding.queue());
        view.put("routingKey", binding.routingKey());
        return marked(view, judgement);
    }

    private static Map<String, Object> marked(Map<String, Object> view, @Nullable Judgement judgement) {
        Judgement known = judgement == null ? Judgement.UNKNOWN : judgement;
        view.put("mark", known.mark());
        view.put("findings", known.findings());
        return view;
    }

    private static @Nullable Role roleOfExchange(String name, TopologyOptions names) {
        Map<String, Role> roles = Map.of(
                names.mainExchange(), Role.PUBLICATIONS,
                names.ownExchange(), Role.OWN,
                names.poisonExchange(), Role.POISON,
                names.retryExchange(), Role.RETRIES,
                names.dueExchange(), Role.DUE,
                names.delayedExchange(), Role.DELAYS,
                names.unrouted(), Role.UNROUTED);
        return roles.get(name);
    }

    private static Role roleOfQueue(String name, Topology topology) {
        Map<String, Role> roles = Map.of(
                topology.poisonQueue(), Role.POISON,
                Topology.archiveOf(topology.node()), Role.ARCHIVE,
                Topology.deadLettersOf(topology.node()), Role.DEAD_LETTERS,
                Topology.poisonWatchOf(topology.node()), Role.POISON_WATCH,
                topology.options().unrouted(), Role.UNROUTED);
        return roles.getOrDefault(name, Role.HANDLED);
    }
}
