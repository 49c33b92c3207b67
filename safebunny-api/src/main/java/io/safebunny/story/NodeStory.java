// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

import io.safebunny.ScheduledMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one node knows of an id. Has neither bodies nor states of sagas. Immutable; can be written as JSON.
 *
 * @param instance that was asked
 * @param asOf when, by its clock
 * @param foundAs {@code correlation id}, {@code message id}, {@code scheduled message} or {@code idempotency key}; {@code null} if nothing was
 *     found
 * @param correlationIds of what was found
 * @param troubles why nothing may go on, whatever the message: the broker or the store does not answer
 * @param sagas with state, which have one of the correlation ids
 * @param messages of which the node has a record, because it handles or has handled them
 * @param pauses at this instance, of types that the story waits for: those of messages that are not handled yet, and of what sagas take
 * @param moved what people have lately done with copies in the poison queue, through this instance since it started
 * @param outbox what the node has stored to be sent, and the broker has not confirmed yet
 * @param scheduled messages that the node has scheduled
 * @param looked where was looked, what was found, and what could not be looked at
 * @param truncated whether there is more than a story has room for
 */
public record NodeStory(
        String node,
        String instance,
        Instant asOf,
        @Nullable String foundAs,
        List<String> correlationIds,
        List<String> troubles,
        List<Saga> sagas,
        List<Message> messages,
        List<Pause> pauses,
        List<Moved> moved,
        List<Unsent> outbox,
        List<Scheduled> scheduled,
        List<Looked> looked,
        boolean truncated) {

    public NodeStory {
        correlationIds = List.copyOf(correlationIds);
        troubles = List.copyOf(troubles);
        sagas = List.copyOf(sagas);
        messages = List.copyOf(messages);
        pauses = List.copyOf(pauses);
        moved = List.copyOf(moved);
        outbox = List.copyOf(outbox);
        scheduled = List.copyOf(scheduled);
        looked = List.copyOf(looked);
    }

    /** Of an instance through which nobody has moved copies. */
    public NodeStory(
            String node,
            String instance,
            Instant asOf,
            @Nullable String foundAs,
            List<String> correlationIds,
            List<String> troubles,
            List<Saga> sagas,
            List<Message> messages,
            List<Pause> pauses,
            List<Unsent> outbox,
            List<Scheduled> scheduled,
            List<Looked> looked,
            boolean truncated) {
        this(
                node,
                instance,
                asOf,
                foundAs,
                correlationIds,
                troubles,
                sagas,
                messages,
                pauses,
                List.of(),
                outbox,
                scheduled,
                looked,
                truncated);
    }

    /** Whether the node knows nothing of the id. */
    public boolean isEmpty() {
        return foundAs == null;
    }

    // ---- the same with another part

    public NodeStory withSagas(List<Saga> other) {
        return with(other, messages, pauses, moved, outbox, scheduled, looked);
    }

    public NodeStory withMessages(List<Message> other) {
        return with(sagas, other, pauses, moved, outbox, scheduled, looked);
    }

    public NodeStory withPauses(List<Pause> other) {
        return with(sagas, messages, other, moved, outbox, scheduled, looked);
    }

    public NodeStory withMoved(List<Moved> other) {
        return with(sagas, messages, pauses, other, outbox, scheduled, looked);
    }

    public NodeStory withOutbox(List<Unsent> other) {
        return with(sagas, messages, pauses, moved, other, scheduled, looked);
    }

    public NodeStory withScheduled(List<Scheduled> other) {
        return with(sagas, messages, pauses, moved, outbox, other, looked);
    }

    public NodeStory withLooked(List<Looked> other) {
        return with(sagas, messages, pauses, moved, outbox, scheduled, other);
    }

    private NodeStory with(
            List<Saga> otherSagas,
            List<Message> otherMessages,
            List<Pause> otherPauses,
            List<Moved> otherMoved,
            List<Unsent> otherOutbox,
            List<Scheduled> otherScheduled,
            List<Looked> otherLooked) {
        return new NodeStory(
                node,
                instance,
                asOf,
                foundAs,
                correlationIds,
                troubles,
                otherSagas,
                otherMessages,
                otherPauses,
                otherMoved,
                otherOutbox,
                otherScheduled,
                otherLooked,
                truncated);
    }

    /**
     * A saga, without its state.
     *
     * @param reason why it failed; {@code null} if it did not
     * @param timeouts when each is over, by name
     * @param stuckOn the message without which it does not go on; {@code null} if it is not stuck
     * @param awaited what it takes and has not taken yet, as far as its history reaches; empty once it has ended
     * @param history the latest 50 events, the oldest first
     */
    public record Saga(
            String saga,
            String id,
            SagaStatus status,
            Instant startedAt,
            Instant changedAt,
            @Nullable String reason,
            List<SagaView.Step> steps,
            Map<String, Instant> timeouts,
            List<BlockedOn> blockedOn,
            SagaView.@Nullable StuckOn stuckOn,
            List<Awaited> awaited,
            List<SagaView.Event> history) {}

    /**
     * A type that a saga waits for.
     *
     * @param from nodes that publish it
     */
    public record Awaited(String type, List<String> from) {}

    /** What a node knows of the handling of a message. */
    public enum State {
        /** It is being handled, or was when its instance died. */
        HANDLING,
        /** It failed, or came back for another reason: the next delivery is handled. */
        WAITING,
        /** It was handled, but not all that it published is confirmed. */
        UNSENT,
        /** It was handled, and all that it published is confirmed. */
        HANDLED,
        /** It is in the poison queue, unless somebody has discarded it. */
        SET_ASIDE,
        /** The undo of its step has arrived, done or not: it is never handled any more. */
        UNDONE,
        /** Its deadline passed before it was handled, and it was dropped. */
        EXPIRED,
        /** Its person was erased before it was handled, so nobody can read it any more, and it was dropped. */
        SHREDDED
    }

    /**
     * A message, as its record tells.
     *
     * @param type empty if the record does not say
     * @param retries delayed retries so far
     * @param claimedUntil until when a claim that stays unchanged is respected at least; {@code null} unless it is being handled, or if that
     *     is not known
     * @param changedAt when the record was last written, by the store's clock; {@code null} if it does not say
     * @param failures the latest failed attempts, at most five; the oldest first
     * @param published what it published, in this order; the latest may be missing, see {@code omitted}
     * @param omitted number of publications beyond these
     * @param line where it is among the messages of its order key; {@code null} if none of them waits for another one, or it is handled
     *     without order
     */
    public record Message(
            String id,
            String correlationId,
            String type,
            State state,
            int retries,
            @Nullable Instant claimedUntil,
            @Nullable Instant changedAt,
            List<Failure> failures,
            List<Publication> published,
            int omitted,
            @Nullable Line line) {

        /** One that is in no line. */
        public Message(
                String id,
                String correlationId,
                String type,
                State state,
                int retries,
                @Nullable Instant claimedUntil,
                @Nullable Instant changedAt,
                List<Failure> failures,
                List<Publication> published,
                int omitted) {
            this(id, correlationId, type, state, retries, claimedUntil, changedAt, failures, published, omitted, null);
        }
    }

    /**
     * Messages of one order key and type, which is the correlation id under which their records are kept, while some wait for others.
     *
     * @param place of the message: 0 if all others wait for it, otherwise how many are before it and one; -1 if it is further behind than
     *     was looked
     * @param waiting how many messages wait behind the first; if there is no {@code head}, with the one that is handled now
     * @param head id of the message that all others wait for; {@code null} while they are handled one after the other
     * @param held whether that was set aside, so that nothing goes on until somebody replays or discards it
     * @param since when messages began to wait; of a head that was set aside, when it was
     * @param dueAt when they go on, at the latest; {@code null} if they do not by themselves
     */
    public record Line(
            int place,
            int waiting,
            @Nullable String head,
            boolean held,
            Instant since,
            @Nullable Instant dueAt) {}

    /**
     * A failed attempt.
     *
     * @param at when it had failed, by its instance's clock
     * @param millis how long it took
     * @param exception name of the class
     * @param text {@code null} if there is none, or it must not be shown
     * @param nextAt when the next attempt was to begin; {@code null} if there was to be none
     */
    public record Failure(
            Instant at,
            String instance,
            long millis,
            String exception,
            @Nullable String text,
            @Nullable Instant nextAt) {}

    /**
     * A message that was published in the handling of another one.
     *
     * @param confirmed whether the broker has it
     * @param dueAt when it was to be routed; {@code null} for at once, or if only a delay was given
     */
    public record Publication(
            String id,
            String type,
            boolean confirmed,
            @Nullable Instant dueAt) {}

    /**
     * A type that is not handled as usual.
     *
     * @param state of its breaker at the instance that was asked: {@code OPEN} or {@code HALF_OPEN}
     * @param until {@code null} if unknown
     * @param reason {@code null} if unknown
     * @param by who paused it; {@code null} if that was nobody
     * @param opened why the breaker has opened by itself, too; {@code null} if it has not, or nobody paused it
     */
    public record Pause(
            String type,
            String state,
            Instant since,
            @Nullable Instant until,
            @Nullable String reason,
            @Nullable String by,
            @Nullable String opened) {}

    /**
     * A copy that was moved by hand.
     *
     * @param older whether the message had been set aside again since, so that there was a newer copy
     * @param at when that began, by the clock of the instance through which it was moved
     * @param keptUntil until when the archive keeps a discarded one, unless somebody restores it; {@code null} if it was not discarded, or that
     *     is not told
     * @param by who asked for it; {@code null} if that is not told
     * @param reason why; {@code null} if that is not told
     */
    public record Moved(
            String messageId,
            String correlationId,
            Kind kind,
            boolean older,
            Instant at,
            @Nullable Instant keptUntil,
            @Nullable String by,
            @Nullable String reason) {

        /** What was done with a copy. */
        public enum Kind {
            /** It was sent back to the queue of its handler. */
            REPLAYED,
            /** It was moved to the archive. */
            DISCARDED,
            /** It was moved from the archive to the poison queue. */
            RESTORED
        }
    }

    /** A message in the outbox; see {@link io.safebunny.store.Outbox.Unsent}. */
    public record Unsent(
            String messageId, String correlationId, String type, int attempts, Instant storedAt, Instant dueAt) {}

    /** A scheduled message. */
    public record Scheduled(
            String messageId,
            ScheduledMessage.Status status,
            @Nullable Instant deliverAt) {}

    /**
     * A place where was looked.
     *
     * @param found how much was found
     * @param note why that may not be all; {@code null} if it is
     */
    public record Looked(String where, int found, @Nullable String note) {}
}
