// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.message.WireMessage;
import io.safebunny.poison.wanted.StepFates.Known;
import io.safebunny.poison.wanted.StepFates.Said;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What became of the steps to which the copies of one pass over a queue belong. An answer counts for five seconds; a node that has not
 * answered is not asked again for ten. Confined to one thread.
 */
public final class AskedFates {

    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final Duration SPARED = Duration.ofSeconds(10);

    /** An answer lacks what it had no time or no room for. */
    private static final String LEFT_OUT = "it has not answered all that it was asked: ask again";

    private final StepFates fates;
    private final Map<StepMessage, Answered> answered = new HashMap<>();
    private final Map<String, Answered> silent = new HashMap<>();

    AskedFates(StepFates fates) {
        this.fates = fates;
    }

    /**
     * What is known of the step of a message.
     *
     * @param isUndo whether the message is its undo
     * @param node of the saga
     * @param problem why the node has not said it, for humans; {@code null} if it has
     * @param fate {@code null} if no saga of the node knows such a step, or that is not known
     */
    public record Told(
            boolean isUndo,
            String node,
            @Nullable String problem,
            @Nullable StepFate fate) {}

    /** @param known {@code null} if there is no answer */
    private record Answered(@Nullable Known known, @Nullable String problem, long at) {}

    /** Whether another node has to be asked for it. */
    public boolean isToBeAsked(WireMessage copy) {
        StepMessage step = StepMessage.of(copy);
        return step != null && !fates.isOwn(step) && fresh(step) == null;
    }

    /** Asks for all of these at once that belong to sagas of other nodes. Blocks for some seconds at most for each node. */
    public void prepare(List<WireMessage> copies) {
        ask(copies.stream()
                .filter(this::isToBeAsked)
                .map(StepMessage::of)
                .map(Objects::requireNonNull)
                .distinct()
                .toList());
    }

    private void ask(List<StepMessage> steps) {
        long now = fates.timeline().nanoTime();
        answered.values().removeIf(answer -> now - answer.at > FRESH.toNanos());
        steps.stream().collect(Collectors.groupingBy(StepMessage::node)).forEach(this::ask);
    }

    private void ask(String node, List<StepMessage> steps) {
        for (int from = 0; from < steps.size(); from += StepFates.MOST) {
            List<StepMessage> some = steps.subList(from, Math.min(steps.size(), from + StepFates.MOST));
            Said said = fates.ask(node, some);
            long now = fates.timeline().nanoTime();
            if (said.problem() != null) {
                silent.put(node, new Answered(null, said.problem(), now));
                return;
            }
            for (StepMessage step : some) {
                Known known = said.fates().get(step.command());
                answered.put(step, new Answered(known, known == null ? LEFT_OUT : null, now));
            }
        }
    }

    private @Nullable Answered fresh(StepMessage step) {
        long now = fates.timeline().nanoTime();
        Answered answer = answered.get(step);
        if (answer != null && now - answer.at <= FRESH.toNanos()) {
            return answer;
        }
        Answered none = silent.get(step.node());
        return none != null && now - none.at <= SPARED.toNanos() ? none : null;
    }

    /**
     * What is known of the step to which the message belongs; {@code null} if it is neither a command nor an undo of a saga's step.
     *
     * @param stored finds the record of a saga of this node
     */
    public @Nullable Told of(WireMessage copy, Function<RecordKey, @Nullable MessageRecord> stored) {
        StepMessage step = StepMessage.of(copy);
        if (step == null) {
            return null;
        }
        if (fates.isOwn(step)) {
            return new Told(step.isUndo(), step.node(), null, fates.own(step, stored));
        }
        if (fresh(step) == null) {
            ask(List.of(step));
        }
        Answered answer = Objects.requireNonNull(fresh(step));
        Known known = answer.known;
        return new Told(step.isUndo(), step.node(), answer.problem, known == null ? null : known.fate());
    }
}
