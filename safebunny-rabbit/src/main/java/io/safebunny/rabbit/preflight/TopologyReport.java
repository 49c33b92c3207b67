// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.topology.Topology;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the broker compares with what a node needs: a judgement of each object that was compared, those that are left over included.
 * Immutable.
 *
 * @param broker about the broker itself
 * @param refusal why some or all objects could not be compared, and what to do; {@code null} if they could
 * @param exchanges by name
 * @param queues by name
 * @param bindings those of these queues
 */
public record TopologyReport(
        List<Judgement> broker,
        @Nullable String refusal,
        Map<String, Judgement> exchanges,
        Map<String, Judgement> queues,
        Map<Topology.Binding, Judgement> bindings) {

    public TopologyReport {
        broker = List.copyOf(broker);
        exchanges = Collections.unmodifiableMap(new LinkedHashMap<>(exchanges));
        queues = Collections.unmodifiableMap(new LinkedHashMap<>(queues));
        bindings = Collections.unmodifiableMap(new LinkedHashMap<>(bindings));
    }

    /** All faults, each with what to do; empty if there are none. Not being able to compare is one of them. */
    public List<String> findings() {
        return findings(0);
    }

    /** Like {@link #findings}, but does not say that exchanges and queues are missing, which AMQP tells as well. */
    public List<String> findingsBeyondAmqp() {
        return findings(1);
    }

    /** @param skipped how many findings to leave out of what is missing: the first one says that it is */
    private List<String> findings(int skipped) {
        Stream<String> all = Stream.of(
                        broker.stream(),
                        Stream.concat(exchanges.values().stream(), queues.values().stream())
                                .map(judgement ->
                                        judgement.mark() == Mark.MISSING ? without(skipped, judgement) : judgement),
                        bindings.values().stream())
                .flatMap(judgements -> judgements)
                .filter(Judgement::isFault)
                .flatMap(judgement -> judgement.findings().stream());
        return Stream.concat(Stream.ofNullable(refusal).map("Policies and bindings are not checked: "::concat), all)
                .toList();
    }

    private static Judgement without(int skipped, Judgement judgement) {
        List<String> findings = judgement.findings();
        return new Judgement(
                judgement.mark(),
                findings.subList(Math.min(skipped, findings.size()), findings.size()),
                judgement.depth(),
                judgement.isFault());
    }

    /** What the node works without, each with what to do. */
    public List<String> remarks() {
        return Stream.of(broker, exchanges.values(), queues.values(), bindings.values())
                .flatMap(Collection::stream)
                .filter(judgement -> !judgement.isFault())
                .flatMap(judgement -> judgement.findings().stream())
                .toList();
    }
}
