// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a test has seen of messages, sagas and pauses, and what follows from that by the rules of the guide. Confined to one thread. */
final class Seen {

    private Seen() {}

    /** @param next {@code null} if there is to be no next attempt */
    record Failure(Instant at, String why, @Nullable Instant next) {}

    /** A message at one node. */
    static final class Message {
        final String node;
        final String id;
        final String correlationId;
        String type;
        State state = State.HANDLING;
        Instant changedAt;
        /** When something that it has published was sent last. */
        Instant sentAt = Instant.EPOCH;

        final List<Failure> failures = new ArrayList<>();
        /** Failures of this delivery: nobody else knows of them before it ends. */
        final List<Failure> running = new ArrayList<>();

        int retries;
        String poisonReason = "";
        /** Whether it was an alarm at which no timeout ran, or a repair that was refused. */
        boolean inVain;

        Message(String node, String id, String correlationId, String type, Instant changedAt) {
            this.node = node;
            this.id = id;
            this.correlationId = correlationId;
            this.type = type;
            this.changedAt = changedAt;
        }

        String name() {
            return type.isEmpty() ? "message " + id : "`%s` (%s)".formatted(typeName(), id);
        }

        String typeName() {
            return type + (inVain && state == State.HANDLED ? "InVain" : "");
        }

        void become(State other, Instant now) {
            state = other;
            changedAt = now;
            failures.addAll(running);
            running.clear();
        }

        Failure last() {
            return failures.get(failures.size() - 1);
        }
    }

    static final class Step {
        final String name;
        final String type;
        final @Nullable String undo;
        StepStatus status = StepStatus.SENT;
        /** How many messages the saga had taken when it sent it. */
        int taken;

        Instant undoneAt = Instant.EPOCH;

        Step(String name, String type, @Nullable String undo) {
            this.name = name;
            this.type = type;
            this.undo = undo;
        }
    }

    /** @param since when the saga heard of it; {@code null} if it could not hear of it yet */
    record Blocked(
            String messageId,
            String type,
            String node,
            String reason,
            @Nullable Instant since) {}

    /** @param takes how many messages the saga had taken */
    record Heard(Instant at, int takes, String node, String reason) {}

    record Repair(String action, Instant at, String reason) {}

    /** A saga with state. */
    static final class Saga {
        final String name;
        final String id;
        final String node;
        final Instant startedAt;
        Instant changedAt;
        SagaStatus status = SagaStatus.ACTIVE;

        @Nullable
        String reason;

        @Nullable
        Message stuckOn;

        Instant stuckAt = Instant.EPOCH;
        final Map<String, Step> steps = new LinkedHashMap<>();
        final Map<String, Instant> timeouts = new TreeMap<>();
        final Map<String, Blocked> blocked = new LinkedHashMap<>();
        final Set<String> taken = new LinkedHashSet<>();
        /** Types of all commands that it has sent. */
        final Set<String> sent = new LinkedHashSet<>();

        int takes;
        /** What it was told of messages that were set aside, by their ids. */
        final Map<String, Heard> heard = new LinkedHashMap<>();

        final List<Repair> repairs = new ArrayList<>();
        /** Whether it was stuck, or has heard since it goes on that something was set aside. */
        boolean isStuck;

        boolean isHeld;
        /** The repair since which it goes on again. */
        @Nullable
        Repair again;

        /** The timeout with which it failed. */
        @Nullable
        String timedOut;

        Instant timedOutAt = Instant.EPOCH;
        /** When that was due. */
        Instant timedOutDue = Instant.EPOCH;
        /** Messages on which it was stuck. */
        final Set<String> mended = new LinkedHashSet<>();

        Saga(String name, String id, String node, Instant startedAt) {
            this.name = name;
            this.id = id;
            this.node = node;
            this.startedAt = startedAt;
            this.changedAt = startedAt;
        }

        void send(Step step) {
            step.taken = takes;
            sent.add(step.type);
            steps.put(step.name, step);
        }

        void complete() {
            status = SagaStatus.COMPLETED;
            timeouts.clear();
            blocked.clear();
        }

        void fail(String why) {
            status = SagaStatus.COMPENSATING;
            reason = why;
            stuckOn = null;
            timeouts.clear();
            blocked.clear();
            undoNext();
        }

        @Nullable
        Step undoing() {
            return steps.values().stream()
                    .filter(step -> step.status == StepStatus.UNDOING)
                    .findFirst()
                    .orElse(null);
        }

        private void undoNext() {
            List<Step> all = new ArrayList<>(steps.values());
            for (int i = all.size() - 1; i >= 0; i--) {
                Step step = all.get(i);
                if (step.status == StepStatus.SENT && step.undo != null) {
                    step.status = StepStatus.UNDOING;
                    step.undoneAt = changedAt;
                    return;
                }
            }
            status = SagaStatus.FAILED;
            blocked.clear();
        }

        void ended(Step step, StepStatus how) {
            step.status = how;
            if (status == SagaStatus.COMPENSATION_FAILED) {
                status = SagaStatus.COMPENSATING;
            }
            blocked.values().removeIf(block -> block.type().equals(step.undo));
            undoNext();
        }

        void stick(Message on, Instant now) {
            status = SagaStatus.STUCK;
            isStuck = true;
            stuckOn = on;
            stuckAt = now;
            changedAt = now;
        }
    }

    /**
     * A type that is not handled as usual at one node.
     *
     * @param until {@code null} while it is probed
     * @param by {@code null} if its breaker has opened by itself
     * @param opened why its breaker has opened, too
     */
    record Pause(
            String type,
            boolean open,
            Instant since,
            @Nullable Instant until,
            String reason,
            @Nullable String by,
            @Nullable String opened) {}
}
