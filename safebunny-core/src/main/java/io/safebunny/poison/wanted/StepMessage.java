// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.message.Headers;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import org.jspecify.annotations.Nullable;

/**
 * The command or the undo of a saga's step, according to a message that nobody has proven. Immutable.
 *
 * @param node of the saga
 * @param command id of the step's command
 */
record StepMessage(String node, String sagaId, String command, boolean isUndo) {

    /** What is asked of it, and repeated with the answer: neither id has a space in it. */
    String line() {
        return sagaId + ' ' + command;
    }

    /** @return {@code null} if it is neither */
    static @Nullable StepMessage of(WireMessage message) {
        String node = String.valueOf(message.appId());
        String sagaId = String.valueOf(message.correlationId());
        boolean isUndo = message.headers().get(Headers.UNDOES) instanceof String;
        boolean isStep = isUndo || Boolean.TRUE.equals(message.headers().get(Headers.STEP));
        String command = String.valueOf(isUndo ? message.headers().get(Headers.UNDOES) : message.messageId());
        return isStep && Names.isNode(node) && Names.isCorrelationId(sagaId) && Names.isMessageId(command)
                ? new StepMessage(node, sagaId, command, isUndo)
                : null;
    }
}
