// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import io.safebunny.operations.NodeCondition;
import io.safebunny.operations.NodeCondition.Level;
import io.safebunny.poison.OtherInstances;
import io.safebunny.poison.OtherInstances.Operation;
import io.safebunny.poison.OtherInstances.OtherInstance;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The messages that are set aside: how many, which operations hold some of them, and who has not said whether it holds some. Immutable.
 *
 * @param copies in the poison queue; empty while nobody knows, as whenever somebody holds some, because the broker counts only the others
 * @param uncounted why {@code copies} is empty; {@code null} if it is not
 * @param here the operation of this instance that runs; {@code null} for none
 * @param others {@code null} if they have not been asked yet
 */
public record SetAside(
        OptionalLong copies,
        @Nullable Uncounted uncounted,
        @Nullable Operation here,
        @Nullable OtherInstances others) {

    /** Nobody has said anything yet. */
    public static final SetAside UNKNOWN = new SetAside(OptionalLong.empty(), Uncounted.NOT_YET, null, null);

    /** Of a node that has no poison queue. */
    public static final SetAside NOTHING = new SetAside(OptionalLong.of(0), null, null, null);

    /** A sentence is read at once. */
    private static final int MOST_NAMES = 3;

    /** Why nobody knows how many there are. */
    public enum Uncounted {
        /** The broker was not asked before. */
        NOT_YET("The broker has not told yet how many messages are set aside."),
        /** Somebody has taken copies, to look at them or to move them, and the broker counts only the others. */
        BROWSED(
                "How many messages are set aside is not known: somebody looks, or has just looked, at those in %s, and the broker does not count what somebody has taken. It is asked again in a few seconds."),
        /** The queue is not there, or the user may not ask. */
        REFUSED(
                "How many messages are set aside is not known: queue %s does not exist, or the user of this node may not count what is in it. Declare the queue, or grant the permission (docs/permissions.md). It is asked for again within five minutes."),
        /** The broker, or this instance, was not able to. */
        FAILED(
                "How many messages are set aside is not known: those in %s could not be counted. It is tried again soon; check the connection to the broker.");

        private final String words;

        Uncounted(String words) {
            this.words = words;
        }
    }

    /** The same while an operation of this instance runs. */
    public SetAside whileRuns(Operation operation) {
        return new SetAside(OptionalLong.empty(), Uncounted.BROWSED, operation, others);
    }

    /** Copies of the poison queue that operations hold, of all instances that have said so. */
    public long held() {
        Stream<Operation> elsewhere = others == null
                ? Stream.of()
                : others.instances().stream().flatMap(instance -> instance.operations().stream());
        return Stream.concat(Stream.ofNullable(here), elsewhere)
                .filter(operation -> operation.kind() != Kind.RESTORE) // it holds copies of the archive
                .mapToLong(Operation::held)
                .sum();
    }

    /** @param queue the poison queue */
    public NodeCondition condition(String queue) {
        List<String> unknown = new ArrayList<>();
        if (here != null) {
            unknown.add(running(here, ""));
        }
        if (others != null) {
            addOthers(unknown, others);
        }
        if (copies.isEmpty()) {
            if (!isRunning()) { // that says enough
                unknown.add(
                        0,
                        Objects.requireNonNullElse(uncounted, Uncounted.NOT_YET)
                                .words
                                .formatted(queue));
            }
            return unknown(String.join(" ", unknown));
        }
        long count = copies.getAsLong();
        if (count == 0) {
            return unknown.isEmpty()
                    ? new NodeCondition(Level.UP, "No message is set aside.", Map.of())
                    : unknown("The broker counts no message in %s. %s".formatted(queue, String.join(" ", unknown)));
        }
        unknown.add(
                0,
                "%s set aside, in queue %s. Look at the reasons, and replay or discard them."
                        .formatted(count == 1 ? "1 message is" : count + " messages are", queue));
        return new NodeCondition(Level.DEGRADED, String.join(" ", unknown), Map.of("copies", count));
    }

    private static NodeCondition unknown(String words) {
        return new NodeCondition(Level.UNKNOWN, words, Map.of());
    }

    private static void addOthers(List<String> sentences, OtherInstances others) {
        for (OtherInstance instance : others.instances()) {
            instance.operations().stream()
                    .filter(SetAside::runs)
                    .map(operation -> running(operation, " at instance " + instance.instance()))
                    .limit(MOST_NAMES)
                    .forEach(sentences::add);
        }
        if (others.problem() != null) {
            sentences.add("Whether another instance holds some is not known: %s.".formatted(others.problem()));
            return;
        }
        List<OtherInstance> silent = others.instances().stream()
                .filter(instance -> instance.silence() != null)
                .toList();
        silent.stream()
                .limit(MOST_NAMES)
                .map(instance -> "Whether instance %s holds some is not known (%s)."
                        .formatted(instance.instance(), instance.silence()))
                .forEach(sentences::add);
        if (silent.size() > MOST_NAMES) {
            sentences.add("Nor is it known for %s more instances.".formatted(silent.size() - MOST_NAMES));
        }
    }

    private static String running(Operation operation, String where) {
        return "Operation %s on poison messages runs%s%s. Look at its progress; how many are set aside is known when it has ended."
                .formatted(operation.id(), where, holding(operation));
    }

    private static String holding(Operation operation) {
        if (operation.held() == 0) {
            return "";
        }
        String copies = operation.kind() == Kind.RESTORE ? "copies of the archive" : "some of them";
        return ", and holds %s, %s now".formatted(copies, operation.held());
    }

    private static boolean runs(Operation operation) {
        return operation.state() == RunState.RUNNING;
    }

    private boolean isRunning() {
        return here != null
                || (others != null
                        && others.instances().stream()
                                .flatMap(instance -> instance.operations().stream())
                                .anyMatch(SetAside::runs));
    }
}
