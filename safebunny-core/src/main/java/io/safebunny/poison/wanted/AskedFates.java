// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.message.WireMessage;
import io.safebunny.poison.wanted.StepFates.Known;
import io.safebunny.poison.wanted.StepFates.Said;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Deadline;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What became of the steps to which the copies of one pass over a queue belong. An answer counts for five seconds; a node that has not
 * answered is not asked again for thirty. Asks twice a second at most. Confined to one thread.
 */
public final class AskedFates {

    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final Duration SPARED = Duration.ofSeconds(30);

    /** Between two rounds of questions. */
    private static final Duration APART = Duration.ofMillis(500);

    /** Nodes that are asked in one round: an instance has some questions open at once, and not all of them are of this kind. */
    private static final int AT_ONCE = 8;

    /** An answer lacks what it had no time or no room for. */
    private static final String LEFT_OUT = "it has not answered all that it was asked: ask again";

    private final StepFates fates;
    private final Map<StepMessage, Answered> answered = new HashMap<>();
    private final Map<String, Answered> silent = new HashMap<>();
    /** When the next round may begin. */
    private @Nullable Deadline next;

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

    /** Asks for all of these at once that belong to sagas of other nodes. Blocks for some seconds at most. */
    public void prepare(List<WireMessage> copies) {
        ask(copies.stream()
                .filter(this::isToBeAsked)
                .map(StepMessage::of)
                .map(Objects::requireNonNull)
                .distinct()
                .toList());
    }

    /** Each node is asked once, and again for what its answer has left out. What is left then is asked for at its turn. */
    private void ask(List<StepMessage> steps) {
        long now = fates.timeline().nanoTime();
        answered.values().removeIf(answer -> now - answer.at > FRESH.toNanos());
        Deadline enough = Deadline.after(FRESH, fates.timeline());
        Map<String, List<StepMessage>> left = new LinkedHashMap<>();
        steps.forEach(step ->
                left.computeIfAbsent(step.node(), name -> new ArrayList<>()).add(step));
        while (!left.isEmpty()) {
            Map<String, List<StepMessage>> next = new HashMap<>();
            left.entrySet().stream()
                    .limit(AT_ONCE)
                    .forEach(of -> next.put(of.getKey(), StepFates.first(of.getKey(), of.getValue())));
            pause();
            fates.ask(next).forEach((node, said) -> {
                List<StepMessage> rest = take(node, said, Objects.requireNonNull(left.remove(node)));
                if (!rest.isEmpty() && !enough.isOver()) {
                    left.put(node, rest);
                }
            });
        }
    }

    /** So that others get answers, too. */
    private void pause() {
        Timeline timeline = fates.timeline();
        Deadline due = next;
        if (due != null && !due.isOver()) {
            try {
                timeline.sleep(due.left());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // nobody is asked any more
            }
        }
        next = Deadline.after(APART, timeline);
    }

    /** @return those of which the node has said nothing, although it has answered something */
    private List<StepMessage> take(String node, Said said, List<StepMessage> steps) {
        long now = fates.timeline().nanoTime();
        List<StepMessage> rest = new ArrayList<>();
        for (StepMessage step : steps) {
            Known known = said.fates().get(step.line());
            if (known == null) {
                rest.add(step);
            } else {
                answered.put(step, new Answered(known, null, now));
            }
        }
        if (rest.size() == steps.size()) {
            silent.put(node, new Answered(null, Objects.requireNonNullElse(said.problem(), LEFT_OUT), now));
            return List.of();
        }
        return rest;
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
        Answered answer = fresh(step);
        if (answer == null) { // this process stood still
            return new Told(step.isUndo(), step.node(), LEFT_OUT, null);
        }
        Known known = answer.known;
        return new Told(step.isUndo(), step.node(), answer.problem, known == null ? null : known.fate());
    }
}
