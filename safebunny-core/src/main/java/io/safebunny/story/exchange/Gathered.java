// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.message.Names;
import io.safebunny.operations.questions.Heard;
import io.safebunny.operations.questions.Heard.One;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.Story.Asked;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the instances on the broker know of an id, and who has not said. Immutable.
 *
 * @param problem why others could not be asked or heard; {@code null} if they could, as far as is known
 * @param parts first this instance's
 * @param asked by node and instance
 * @param isRelated whether others were asked for what the parts are about: they know messages that are not theirs by the correlation id only
 */
public record Gathered(@Nullable String problem, List<NodeStory> parts, List<Asked> asked, boolean isRelated) {

    /** A place that is never looked at, which is no gap. */
    public static final String POISON_QUEUE = "poison queue";

    /** Where no records are kept, none is missed. */
    private static final String NO_STORE = "not looked at: this node has no store";

    /** As what an id is found by its key. */
    public static final String CORRELATION = "correlation id";

    /** Nodes that are listed only because others wait for them. Any beyond it are probably forged. */
    private static final int MOST_NAMED = 1_000;

    private static final Comparator<Asked> IN_ORDER =
            Comparator.comparing(Asked::node).thenComparing(Asked::instance);

    /**
     * @param own that of this instance
     * @param version of this instance
     */
    public static Gathered of(SharedPart own, String version, Heard<SharedPart> heard) {
        NodeStory self = own.part();
        List<Asked> asked = new ArrayList<>();
        asked.add(new Asked(self.node(), self.instance(), version, true, self.asOf(), null));
        List<SharedPart> others = new ArrayList<>();
        for (One<SharedPart> one : heard.instances()) {
            SharedPart answer = one.answer();
            if (answer != null) {
                others.add(answer.from(one.node(), one.instance()));
            }
            asked.add(
                    new Asked(one.node(), one.instance(), one.version(), answer != null, one.lastHeard(), one.note()));
        }
        asked.addAll(missing(others, asked));
        asked.sort(IN_ORDER);
        List<NodeStory> all = new ArrayList<>(List.of(self));
        others.forEach(other -> all.add(other.part()));
        Set<String> types = WaitedFor.in(all);
        return new Gathered(
                heard.problem(),
                OnePerNode.of(
                        only(own, types),
                        others.stream().map(other -> only(other, types)).toList()),
                asked,
                all.stream().anyMatch(part -> CORRELATION.equals(part.foundAs())));
    }

    /** Of these parts only, whoever was asked for them. */
    public static Gathered alone(List<NodeStory> parts) {
        Set<String> types = WaitedFor.in(parts);
        return new Gathered(
                null, parts.stream().map(part -> WaitedFor.only(part, types)).toList(), List.of(), false);
    }

    /** The same if others were asked for the correlation id to which the parts lead. */
    public Gathered related() {
        return new Gathered(problem, parts, asked, true);
    }

    static boolean isGap(Looked look) {
        return look.note() != null && !look.where().equals(POISON_QUEUE);
    }

    /** What could not be looked at, or not at all of it. */
    public static List<Looked> gaps(NodeStory part) {
        return part.looked().stream().filter(Gathered::isGap).toList();
    }

    /** Whether it means something that no part has a record: a part that lacks something may lack that one. */
    public boolean isComplete() {
        return isRelated
                && problem == null
                && parts.stream()
                        .allMatch(part ->
                                !part.truncated() && gaps(part).stream().allMatch(gap -> NO_STORE.equals(gap.note())));
    }

    /** Whether a part is found by what others are asked for at first. */
    public boolean isFound() {
        return parts.stream().anyMatch(part -> CORRELATION.equals(part.foundAs()));
    }

    /** The instances that have answered, without the one that asked. */
    public Set<String> answered() {
        return asked.stream()
                .filter(one ->
                        one.answered() && !one.instance().equals(parts.get(0).instance()))
                .map(Asked::instance)
                .collect(Collectors.toSet());
    }

    private static SharedPart only(SharedPart shared, Set<String> types) {
        return new SharedPart(WaitedFor.only(shared.part(), types), shared.shared());
    }

    /** Nodes of which only those know that wait for them. */
    private static List<Asked> missing(List<SharedPart> parts, List<Asked> asked) {
        Set<String> known = new HashSet<>();
        asked.forEach(one -> known.add(one.node()));
        Set<String> missing = new TreeSet<>();
        parts.forEach(
                part -> part.part().sagas().forEach(saga -> saga.awaited().forEach(awaited -> awaited.from().stream()
                        .filter(name -> Names.isNode(name) && !known.contains(name))
                        .forEach(missing::add))));
        return missing.stream()
                .limit(MOST_NAMED)
                .map(
                        name -> new Asked(
                                name,
                                "",
                                "",
                                false,
                                null,
                                "a saga waits for it, and this instance has not heard of it within a day: it may not run, or not be allowed to answer (docs/permissions.md)"))
                .toList();
    }

    /**
     * The correlation id of what was found, if it is one, and not what was asked for: others may know more of that. Nothing else leads from a
     * message to what has become of it at other nodes.
     */
    public @Nullable String leadsTo(String id) {
        Set<String> found = new TreeSet<>();
        for (NodeStory part : parts) {
            if (CORRELATION.equals(part.foundAs())) {
                return null;
            }
            found.addAll(part.correlationIds());
        }
        found.remove(id);
        return found.size() == 1 && Names.isCorrelationId(found.iterator().next())
                ? found.iterator().next()
                : null;
    }

    /** The later answers, unless one says less than before, as that to another question may. */
    public static Heard<SharedPart> joined(Heard<SharedPart> before, Heard<SharedPart> later) {
        if (later.problem() != null) {
            return before;
        }
        Map<String, One<SharedPart>> answered = new HashMap<>();
        for (One<SharedPart> one : before.instances()) {
            if (one.answer() != null) {
                answered.put(one.instance(), one);
            }
        }
        return new Heard<>(
                null,
                later.instances().stream()
                        .map(one -> fuller(one, answered.get(one.instance())))
                        .toList());
    }

    private static One<SharedPart> fuller(One<SharedPart> later, @Nullable One<SharedPart> before) {
        SharedPart said = before == null ? null : before.answer();
        if (before == null || said == null) {
            return later;
        }
        SharedPart says = later.answer();
        if (says == null) { // what it has said before was about less
            String note = later.note() == null ? "it has not answered" : later.note();
            return new One<>(
                    before.node(), before.instance(), before.version(), before.lastHeard(), note, said.unsure(note));
        }
        return OnePerNode.size(says.part()) < OnePerNode.size(said.part()) ? before : later;
    }
}
