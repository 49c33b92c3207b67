// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.Headers;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A command that a saga has sent.
 *
 * @param command the command, as it was sent; kept so that an operator can send it again
 * @param undo the undo, as it will be sent; {@code null} if the command has none
 * @param undoSentAt when the undo was first sent; {@code null} before that, or if an earlier version sent it
 */
public record SagaStep(
        String name,
        StepStatus status,
        OutboundMessage command,
        @Nullable OutboundMessage undo,
        @Nullable Instant undoSentAt) {

    /** A message of the saga, and the time when it was first sent: its age counts from then, however often it is sent. */
    public record Sending(OutboundMessage message, Instant at) {

        /**
         * @param at when it was first sent. If {@code null}, uses the time when the message was created: it may then seem too old, but
         *     never too young
         */
        private static Sending of(OutboundMessage message, @Nullable Instant at) {
            Object made = message.message().headers().get(Headers.SENT_AT);
            long millis = made instanceof Number number ? number.longValue() : 0;
            return new Sending(message, at == null ? Instant.ofEpochMilli(millis) : at);
        }
    }

    public String messageId() {
        return String.valueOf(command.message().messageId());
    }

    public String type() {
        return String.valueOf(command.message().type());
    }

    /** Whether the undo of the step is still to be sent. */
    public boolean isToUndo() {
        return undo != null && status == StepStatus.SENT;
    }

    public boolean isUndoneBy(String undoMessageId) {
        return undo != null && undoMessageId.equals(undo.message().messageId());
    }

    /** The first sending of its command. */
    public Sending commandSending() {
        return Sending.of(command, null);
    }

    /** The first sending of its undo; {@code null} when it has none. */
    public @Nullable Sending undoSending() {
        return undo == null ? null : Sending.of(undo, undoSentAt);
    }

    public SagaStep with(StepStatus other) {
        return new SagaStep(name, other, command, undo, undoSentAt);
    }

    /** The step once its undo has been sent for the first time. */
    public SagaStep undoing(Instant now) {
        return new SagaStep(name, StepStatus.UNDOING, command, undo, now);
    }
}
