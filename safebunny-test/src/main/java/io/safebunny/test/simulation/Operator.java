// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Progress;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.Verdict;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.simulation.run.Violation;
import io.safebunny.topology.Topology;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Plays the person who fixes the cause of failures and then replays the poison messages. For the run's caller. */
final class Operator {

    /**
     * Maximum number of replays. A replay must be repeated if its process ends, the connection is lost, or the message is locked elsewhere.
     */
    private static final int MOST_TRIES = 10;

    /** Verdicts with which a copy may still be moved later. */
    private static final Set<Verdict> LATER = Set.of(Verdict.BUSY, Verdict.UNKNOWN, Verdict.UNSURE);

    private static final Set<RecordState> HANDLED =
            Set.of(RecordState.COMPLETED, RecordState.DISPATCHED, RecordState.UNDONE);

    private final World world;
    /** Messages that a replay leaves where they are, because nobody waits for them any more, such as a saga that has ended; by node. */
    private final Map<String, Set<String>> done = new HashMap<>();

    Operator(World world) {
        this.world = world;
    }

    boolean isNeeded() {
        return world.system().repair() != null && isAnythingSetAside();
    }

    /** @param goOn lets the system run until nothing happens any more */
    @Nullable
    Violation repair(Supplier<@Nullable Violation> goOn) {
        Runnable repair = world.system().repair();
        if (repair != null) {
            repair.run();
        }
        boolean ended = false;
        Violation violation = null;
        for (int tries = 0; !ended && violation == null && tries < MOST_TRIES; tries++) {
            Map<String, PoisonOperation> replays = replayAll();
            violation = goOn.get();
            replays.forEach((node, replay) -> addDone(node, replay.progress()));
            ended = replays.values().stream().map(PoisonOperation::progress).allMatch(Operator::isOver);
        }
        return violation;
    }

    private static boolean isOver(Progress progress) {
        return progress.state() == RunState.ENDED
                && progress.missed() == 0
                && Collections.disjoint(progress.verdicts().keySet(), LATER);
    }

    private void addDone(String node, Progress progress) {
        progress.refusals().stream()
                .filter(copy -> copy.verdict() == Verdict.DONE || copy.verdict() == Verdict.UNWANTED)
                .forEach(copy ->
                        done.computeIfAbsent(node, unused -> new HashSet<>()).add(copy.messageId()));
    }

    private Map<String, PoisonOperation> replayAll() {
        Map<String, PoisonOperation> replays = new HashMap<>();
        for (Map.Entry<String, Instance> node : world.nodes().entrySet()) {
            if (!setAside(node.getKey()).isEmpty()) {
                replays.put(
                        node.getKey(),
                        node.getValue()
                                .engine()
                                .get(PoisonMessages.class)
                                .replay(PoisonRequest.of(PoisonFilter.all(), "the simulation", "it is mended")));
            }
        }
        return replays;
    }

    private boolean isAnythingSetAside() {
        return world.nodes().keySet().stream().anyMatch(node -> !setAside(node).isEmpty());
    }

    /**
     * Poison copies of messages that were not handled. Excludes copies of handled messages, which a process leaves if it ends between the
     * copy and the acknowledgement.
     */
    List<WireMessage> setAside(String node) {
        return world.broker().messages(Topology.poisonOf(node)).stream()
                .filter(copy -> !isHandled(node, copy))
                .toList();
    }

    /** Those of them that are not merely to be discarded. */
    List<WireMessage> needed(String node) {
        Set<String> discarded = done.getOrDefault(node, Set.of());
        return setAside(node).stream()
                .filter(copy -> !discarded.contains(String.valueOf(copy.messageId())))
                .toList();
    }

    boolean isSetAside(String node, WireMessage message) {
        return setAside(node).stream()
                .anyMatch(copy -> Objects.equals(copy.messageId(), message.messageId())
                        && Objects.equals(copy.correlationId(), message.correlationId()));
    }

    private boolean isHandled(String node, WireMessage copy) {
        MessageRecord record = world.find(node, copy);
        return record != null && HANDLED.contains(record.state());
    }
}
