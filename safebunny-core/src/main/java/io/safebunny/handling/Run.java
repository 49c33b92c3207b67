// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.middleware.Next;
import io.safebunny.store.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of the handler, with the middlewares around it, has left behind. Immutable.
 *
 * @param publications in the order of publishing
 * @param joined written together with the message's record
 * @param whenWritten to be run, in this order, when they are written
 * @param failure {@code null} when it succeeded
 */
public record Run(
        List<OutboundMessage> publications,
        List<MessageRecord> joined,
        List<Runnable> whenWritten,
        @Nullable Throwable failure) {

    /** Runs the action, which is a run of this handling. */
    public static Run of(Handling handling, Next action) {
        try {
            action.run();
        } catch (Throwable e) {
            return new Run(List.of(), List.of(), List.of(), e);
        }
        JointRecords records = handling.records();
        return new Run(handling.collected(), records.joined(), records.whenWritten(), null);
    }
}
