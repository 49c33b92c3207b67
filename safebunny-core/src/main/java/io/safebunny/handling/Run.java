// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.middleware.Next;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the handler, with the middlewares around it, has left behind. Immutable.
 *
 * @param publications in the order of publishing
 * @param joined written together with the message's record
 * @param failure {@code null} when it succeeded
 */
public record Run(
        List<OutboundMessage> publications,
        JointRecords joined,
        @Nullable Throwable failure) {

    /** Runs the action, which is a run of this handling. */
    public static Run of(Handling handling, Next action) {
        try {
            action.run();
        } catch (Throwable e) {
            return new Run(List.of(), JointRecords.NONE, e);
        }
        return new Run(handling.collected(), handling.joined(), null);
    }
}
