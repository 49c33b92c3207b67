// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyOperations;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.poison.elsewhere.SetAside;
import io.safebunny.poison.replay.QueuePoisonMessages;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.store.Outbox;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Is anything stuck? The condition of each part, rates and counts, each with the place on the page where there is more. It says that nothing
 * is stuck only if all of it is known. Reads only what the node already knows, so polling is cheap. Thread-safe.
 */
final class NowView {

    private static final String POISON = "poison";

    /** Where the page shows more of a part, if it does. */
    private static final Map<String, String> PAGES = Map.of(
            "broker",
            "#/topology",
            POISON,
            "#/poison",
            "publications",
            "#/waiting",
            "outbox",
            "#/waiting",
            "breakers",
            "#/types",
            "sagas",
            "#/sagas",
            "order",
            "#/poison",
            "topology",
            "#/topology");

    private final SafeBunnyEngine engine;
    private final SafeBunnyParts parts;
    private final BunnyOperations operations;
    private final Map<String, Supplier<NodeCondition>> conditions;
    private final Timeline timeline;
    private final Rates rates;

    /** @param topology the condition of the topology; {@code null} if nobody compares it with the broker */
    NowView(
            SafeBunnyEngine engine,
            SafeBunnyParts parts,
            BunnyOperations operations,
            @Nullable Supplier<NodeCondition> topology,
            Rates rates) {
        this.engine = engine;
        this.parts = parts;
        this.operations = operations;
        this.conditions = new LinkedHashMap<>(engine.conditions());
        if (topology != null) {
            conditions.put("topology", topology);
        }
        this.timeline = parts.timeline();
        this.rates = rates;
    }

    Map<String, Object> now() {
        List<Map<String, Object>> shown = new ArrayList<>();
        List<String> sentences = new ArrayList<>();
        Level worst = Level.UP;
        SetAside setAside = setAside();
        for (Map.Entry<String, Supplier<NodeCondition>> part : conditions.entrySet()) {
            NodeCondition condition = part.getValue().get();
            if (part.getKey().equals(POISON) && condition.level() == Level.UP) {
                condition = setAside.condition(Topology.poisonOf(parts.options().node()));
            }
            worst = max(worst, condition.level());
            if (condition.level() != Level.UP) {
                sentences.add(condition.words());
            }
            shown.add(shown(part.getKey(), condition));
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("node", parts.options().node());
        view.put("instance", operations.instance());
        view.put("asOf", timeline.now());
        view.put("level", worst);
        view.put("words", sentences.isEmpty() ? List.of("Nothing is stuck.") : sentences);
        view.put("parts", shown);
        view.put("rates", rates.counted().rates());
        view.put("counts", counts(setAside));
        view.put("sagas", SagaViews.counts(engine.get(SagaSupervision.class)));
        return view;
    }

    /** A node that handles nothing has no poison queue, and so nothing in it. */
    private SetAside setAside() {
        return engine.handlers().isEmpty()
                ? SetAside.NOTHING
                : engine.get(QueuePoisonMessages.class).setAside();
    }

    private static Level max(Level one, Level other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private static Map<String, Object> shown(String part, NodeCondition condition) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("part", part);
        view.put("level", condition.level());
        view.put("words", condition.words());
        view.put("page", PAGES.get(part));
        if (part.equals("topology")) { // of the others there is more elsewhere, and it may be much
            view.put("details", condition.details());
        }
        return view;
    }

    /** What is not known yet is {@code null}. */
    private Map<String, Object> counts(SetAside setAside) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("setAside", setAside.copies().isPresent() ? setAside.copies().getAsLong() : null);
        counts.put("held", setAside.held());
        Collection<State> states = parts.breakers().states().values();
        counts.put("types", states.size());
        counts.put(
                "notClosed",
                states.stream().filter(state -> state != State.CLOSED).count());
        counts.put("paused", operations.paused().size());
        counts.put("waitingPublications", engine.waiting().messages());
        counts.put("oldestPublication", engine.waiting().oldest());
        Outbox outbox = parts.outbox();
        OptionalInt backlog = outbox == null ? OptionalInt.empty() : outbox.backlog();
        counts.put("outbox", backlog.isPresent() ? backlog.getAsInt() : null);
        return counts;
    }
}
