// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A saga as it is stored.
 *
 * @param saga name of the saga
 * @param id id of the instance
 * @param version of the stored record, for {@link Sagas#patch}; increases by one with every change
 * @param stateVersion version of the state, see {@link BunnySaga#version}
 * @param state as JSON; empty if it is encrypted: only the saga's own methods read it then
 * @param encrypted whether the state is stored encrypted, see {@link io.safebunny.encryption.Encrypted}
 * @param endedAt when it ended; {@code null} while it has not
 * @param reason why it failed; {@code null} if it did not
 * @param steps in the order in which they were sent, without forgotten ones
 * @param timeouts when each timeout expires, by name
 * @param blockedOn its messages that were set aside and wait in poison queues
 * @param stuckOn why it is {@link SagaStatus#STUCK}; {@code null} if it is not
 * @param idleSince the skip or resume since which nothing is known to bring it on: it is active, has no timeout, waits for no message that
 *     was set aside, each of its commands is answered, skipped or given up, and it has taken no message since, or only the last answers, to
 *     which it has sent nothing. Unless a message comes by itself, it needs an operator. {@code null} if it is not so, or a command of it
 *     may still be answered
 * @param history the last 50 events, oldest first
 */
public record SagaView(
        String saga,
        String id,
        SagaStatus status,
        long version,
        int stateVersion,
        String state,
        boolean encrypted,
        Instant startedAt,
        Instant changedAt,
        @Nullable Instant endedAt,
        @Nullable String reason,
        List<Step> steps,
        Map<String, Instant> timeouts,
        List<BlockedOn> blockedOn,
        @Nullable StuckOn stuckOn,
        @Nullable Event idleSince,
        List<Event> history) {

    public SagaView {
        steps = List.copyOf(steps);
        blockedOn = List.copyOf(blockedOn);
        history = List.copyOf(history);
    }

    /**
     * A command that was sent.
     *
     * @param messageId id of the command
     * @param type type name of the command
     * @param undo type name of its undo; {@code null} if it has none
     */
    public record Step(
            String name,
            String messageId,
            String type,
            @Nullable String undo,
            StepStatus status) {}

    /** Status of a step. */
    public enum StepStatus {
        /** The command was sent. */
        SENT,
        /** Its undo was sent and has not been acknowledged yet. */
        UNDOING,
        /** Its undo has been acknowledged. */
        UNDONE,
        /** An operator decided that it need not be undone. */
        SKIPPED
    }

    /**
     * The message to a stuck saga that was set aside: it has to be replayed, or the saga resumed without it.
     *
     * @param messageId its id
     * @param node the node that set it aside, and in whose poison queue it waits
     * @param since when the saga became stuck
     * @param type type name of the message; {@code null} if its record does not tell, and in {@link Sagas#list}
     * @param exception name of the class of its last failure; {@code null} if its record tells of none, and in {@link Sagas#list}
     * @param text the first line of that failure's text; {@code null} if there is none, or {@code exception-details} does not let it
     *     be shown
     */
    public record StuckOn(
            String messageId,
            String node,
            Instant since,
            @Nullable String type,
            @Nullable String exception,
            @Nullable String text) {}

    /**
     * Something that happened to the saga.
     *
     * @param repair id of the repair that it tells of, as {@link Sagas} returned it; {@code null} if it is of none
     * @param by who asked for that repair; {@code null} if it is of none, or that is not told
     */
    public record Event(
            Instant at,
            String what,
            @Nullable String repair,
            @Nullable String by) {

        /** What nobody did by hand. */
        public Event(Instant at, String what) {
            this(at, what, null, null);
        }
    }
}
