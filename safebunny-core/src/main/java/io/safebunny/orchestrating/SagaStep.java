// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.spi.transport.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * A command that a saga has sent.
 *
 * @param command as it was sent, to be sent again when a person asks for it
 * @param undo as it will be sent; {@code null} when nothing can undo the command
 */
record SagaStep(
        String name,
        StepStatus status,
        OutboundMessage command,
        @Nullable OutboundMessage undo) {

    String messageId() {
        return String.valueOf(command.message().messageId());
    }

    String type() {
        return String.valueOf(command.message().type());
    }

    /** Whether its undo is still to be sent. */
    boolean isToUndo() {
        return undo != null && status == StepStatus.SENT;
    }

    boolean isUndoneBy(String undoMessageId) {
        return undo != null && undoMessageId.equals(undo.message().messageId());
    }

    SagaStep with(StepStatus other) {
        return new SagaStep(name, other, command, undo);
    }
}
