// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.Topology.Binding;
import io.safebunny.topology.Topology.ExchangeKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Judges each object of a topology by what the management API tells of it. No I/O; not thread-safe. */
final class Marking {

    private static final String ALTERNATE = "alternate-exchange";

    private final Topology planned;
    private final TypeQueues types;
    private final List<Judgement> broker = new ArrayList<>();
    private final Map<String, Judgement> exchanges = new LinkedHashMap<>();
    private final Map<String, Judgement> queues = new LinkedHashMap<>();
    private final Map<Binding, Judgement> bindings = new LinkedHashMap<>();
    private final Map<String, QueueFacts> facts = new TreeMap<>();
    private @Nullable String refusal;

    Marking(Topology planned) {
        this.planned = planned;
        this.types = new TypeQueues(planned.node());
    }

    /** Something about the broker itself. */
    void broker(Judgement judgement) {
        broker.add(judgement);
    }

    void refuse(String why) {
        refusal = why;
    }

    /** @param found {@code null} if it does not exist */
    void exchange(Topology.Exchange exchange, @Nullable JsonNode found) {
        exchanges.put(exchange.name(), found == null ? missing(exchange) : judged(exchange, found));
    }

    private static Judgement missing(Topology.Exchange exchange) {
        return Judgement.of(
                Mark.MISSING,
                "Exchange '%s' is missing, so what goes through it is refused. Run --safebunny.topology=apply as a user who may declare it, or import docs/shared-topology.json"
                        .formatted(exchange.name()));
    }

    /** What a delayed exchange is depends on the delay strategy, and a policy can replace an argument unseen. */
    private static Judgement judged(Topology.Exchange exchange, JsonNode found) {
        List<String> findings = new ArrayList<>();
        String kind = exchange.kind().name().toLowerCase(Locale.ROOT);
        String type = found.path("type").asString("");
        if (exchange.kind() != ExchangeKind.DELAYED && !type.equals(kind)) {
            findings.add(
                    "Exchange '%s' is a %s exchange, but this node declares a %s exchange. See SB-1201 in docs/errors.md"
                            .formatted(exchange.name(), type, kind));
        }
        String alternate = found.path("arguments").path(ALTERNATE).asString("");
        String wanted = exchange.alternate();
        if (wanted != null
                && !wanted.equals(alternate)
                && found.path("policy").asString("").isEmpty()) {
            findings.add(
                    "Exchange '%s' passes what it cannot route to %s instead of '%s', so such messages are %s. Declare it with %s=%s, by docs/shared-topology.json or a policy"
                            .formatted(
                                    exchange.name(),
                                    alternate.isEmpty() ? "nobody" : "'" + alternate + "'",
                                    wanted,
                                    alternate.isEmpty() ? "stuck or lost" : "not where they are looked for",
                                    ALTERNATE,
                                    wanted));
        }
        return judged(findings, null);
    }

    private static Judgement judged(List<String> findings, @Nullable QueueDepth depth) {
        return new Judgement(findings.isEmpty() ? Mark.AS_PLANNED : Mark.DIFFERENT, findings, depth, true);
    }

    /**
     * Call after {@link #exchange}.
     *
     * @param found {@code null} if it does not exist
     * @param bound its bindings; {@code null} if it does not exist
     */
    void queue(Topology.Queue queue, @Nullable JsonNode found, @Nullable JsonNode bound) {
        if (found == null || bound == null) {
            queues.put(queue.name(), missing(queue));
            wanted(queue).forEach(binding -> bindings.put(binding, Judgement.of(Mark.MISSING)));
            return;
        }
        QueueFacts told = facts(found);
        facts.put(queue.name(), told);
        queues.put(queue.name(), judged(told.findings(queue), depth(found)));
        bindings(queue, bound);
    }

    private Judgement missing(Topology.Queue queue) {
        String told = "Queue '%s' is missing%s. Run --safebunny.topology=apply as a user who may declare it";
        return planned.isOptional(queue)
                ? Judgement.harmless(
                        Mark.MISSING,
                        null,
                        told.formatted(
                                queue.name(), ": the node runs without it, but poison messages cannot be discarded"))
                : Judgement.of(Mark.MISSING, told.formatted(queue.name(), ", so its messages are not stored"));
    }

    private Set<Binding> wanted(Topology.Queue queue) {
        Set<Binding> wanted = new LinkedHashSet<>(planned.bindings());
        wanted.removeIf(binding -> !binding.queue().equals(queue.name()));
        return wanted;
    }

    private void bindings(Topology.Queue queue, JsonNode bound) {
        Set<Binding> wanted = wanted(queue);
        Set<Binding> missing = new LinkedHashSet<>(wanted);
        for (JsonNode one : bound) {
            Binding binding = binding(queue.name(), one);
            missing.remove(binding);
            if (wanted.contains(binding)) {
                bindings.put(binding, Judgement.AS_PLANNED);
            } else if (!binding.exchange().isEmpty()) { // the default exchange is bound to every queue
                bindings.put(
                        binding,
                        Judgement.of(
                                Mark.UNPLANNED,
                                "Queue '%s' is also bound to %s, which this node does not declare. If it is left from a handler's earlier `from`, --safebunny.topology=prune-apply removes it"
                                        .formatted(queue.name(), described(binding))));
            }
        }
        missing.forEach(binding -> bindings.put(binding, missing(binding)));
    }

    static Binding binding(String queue, JsonNode found) {
        return new Binding(
                found.path("source").asString(""),
                queue,
                found.path("routing_key").asString(""));
    }

    private Judgement missing(Binding binding) {
        if (exchanges.getOrDefault(binding.exchange(), Judgement.UNKNOWN).mark() == Mark.MISSING) {
            return Judgement.of(Mark.MISSING);
        }
        return Judgement.of(
                Mark.MISSING,
                "Queue '%s' is not bound to %s, so messages do not arrive. Run --safebunny.topology=apply as a user who may bind it"
                        .formatted(binding.queue(), described(binding)));
    }

    static String described(Binding binding) {
        return "exchange '%s' with key '%s'".formatted(binding.exchange(), binding.routingKey());
    }

    /**
     * A queue of this node that is not planned. It is left over unless another version consumes it; but that may have stopped consuming for
     * a while, so that nobody is warned.
     *
     * @param found {@code null} if it does not exist
     * @param bound its bindings; {@code null} if it does not exist
     */
    void other(String name, @Nullable JsonNode found, @Nullable JsonNode bound) {
        QueueDepth depth = found == null ? null : depth(found);
        if (bound == null || depth == null || depth.consumers() > 0) {
            return;
        }
        queues.put(
                name,
                Judgement.harmless(
                        Mark.UNPLANNED,
                        depth,
                        "Queue '%s' may be left over: this version of the node does not %s, and nobody consumes the queue now. If no instance of another version does, which may also have paused the type, --safebunny.topology=prune tells what is in it, and prune-apply unbinds it and deletes it when it is empty"
                                .formatted(
                                        name,
                                        types.isShard(name)
                                                ? "have this shard of " + types.typeOf(name)
                                                : "handle " + types.typeOf(name))));
        for (JsonNode one : bound) {
            Binding binding = binding(name, one);
            if (!binding.exchange().isEmpty()) {
                bindings.put(binding, Judgement.harmless(Mark.UNPLANNED, null));
            }
        }
    }

    /** Names of the queues among these bindings that are of this node and not planned. */
    List<String> others(JsonNode bound) {
        Set<String> names = new TreeSet<>();
        for (JsonNode one : bound) {
            String name = one.path("destination").asString("");
            if (one.path("destination_type").asString("").equals("queue") && types.isOfType(name)) {
                names.add(name);
            }
        }
        planned.queues().forEach(queue -> names.remove(queue.name()));
        return List.copyOf(names);
    }

    /**
     * Call after {@link #queue}. A node that runs warns of it by itself; between two instances a shard has no consumer for a moment, so that
     * nobody is warned here.
     */
    void unheard(Subscription subscription) {
        String node = planned.node();
        QueueDepth before = judged(subscription.queue(node)).depth();
        if (before == null || before.consumers() == 0) {
            return; // no instance runs, or the type is paused
        }
        for (String shard : subscription.shardQueues(node)) {
            Judgement known = judged(shard);
            QueueDepth depth = known.depth();
            if (depth != null && depth.consumers() == 0 && depth.ready() > 0) {
                boolean isFault = known.isFault() && !known.findings().isEmpty();
                String finding =
                        "Queue '%s': %s messages wait in this shard of %s, and no instance listens to it, although some run. Start one whose listen names it"
                                .formatted(shard, depth.ready(), subscription.type());
                queues.put(shard, new Judgement(known.mark(), with(finding, known), depth, isFault));
            }
        }
    }

    /** Adds a finding to what is known of a queue. */
    void add(Topology.Queue queue, String finding) {
        Judgement known = judged(queue.name());
        Mark mark = known.mark() == Mark.AS_PLANNED ? Mark.DIFFERENT : known.mark();
        queues.put(queue.name(), new Judgement(mark, with(finding, known), known.depth(), known.isFault()));
    }

    private static List<String> with(String finding, Judgement known) {
        List<String> findings = new ArrayList<>(known.findings());
        findings.add(finding);
        return findings;
    }

    private Judgement judged(String queue) {
        return queues.getOrDefault(queue, Judgement.UNKNOWN);
    }

    /** The queue on the broker; {@code null} if it could not be asked or does not exist. */
    @Nullable
    QueueFacts facts(Topology.Queue queue) {
        return facts.get(queue.name());
    }

    private static QueueFacts facts(JsonNode queue) {
        return new QueueFacts(
                queue.path("type").asString("classic"),
                map(queue.path("arguments")),
                map(queue.path("effective_policy_definition")),
                queue.path("policy").asString(""),
                queue.path("operator_policy").asString(""));
    }

    /** The object as a map. Some versions of the broker send an empty object as an array. */
    private static Map<String, Object> map(JsonNode object) {
        Map<String, Object> map = new TreeMap<>();
        object.properties().forEach(entry -> {
            JsonNode value = entry.getValue();
            map.put(entry.getKey(), value.isIntegralNumber() ? (Object) value.asLong() : value.asString(""));
        });
        return map;
    }

    /** {@code null} if the broker has no figures yet, as of a queue that was declared some seconds ago. */
    static @Nullable QueueDepth depth(JsonNode queue) {
        JsonNode ready = queue.path("messages_ready");
        JsonNode unacknowledged = queue.path("messages_unacknowledged");
        JsonNode consumers = queue.path("consumers");
        boolean isTold = ready.isIntegralNumber() && unacknowledged.isIntegralNumber() && consumers.isIntegralNumber();
        return isTold ? new QueueDepth(ready.asLong(), unacknowledged.asLong(), consumers.asLong()) : null;
    }

    TopologyReport result() {
        return new TopologyReport(broker, refusal, exchanges, queues, bindings);
    }
}
