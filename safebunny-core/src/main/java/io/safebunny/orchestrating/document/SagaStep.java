// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating.document;

import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.spi.transport.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * A command that a saga has sent.
 *
 * @param command as it was sent, to be sent again when a person asks for it
 * @param undo as it will be sent; {@code null} when nothing can undo the command
 */
public record SagaStep(
        String name,
        StepStatus status,
        OutboundMessage command,
        @Nullable OutboundMessage undo) {

    public String messageId() {
        return String.valueOf(command.message().messageId());
    }

    public String type() {
        return String.valueOf(command.message().type());
    }

    /** Whether its undo is still to be sent. */
    public boolean isToUndo() {
        return undo != null && status == StepStatus.SENT;
    }

    public boolean isUndoneBy(String undoMessageId) {
        return undo != null && undoMessageId.equals(undo.message().messageId());
    }

    public SagaStep with(StepStatus other) {
        return new SagaStep(name, other, command, undo);
    }
}
