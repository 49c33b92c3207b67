// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.transport.OutboundMessage;
import java.util.List;

/**
 * Everything about the handling of one message, in one place, so that one conditional write is atomic on every store.
 *
 * @param owner who holds the claim: unique per claim, so that a create whose answer got lost is recognised
 * @param version fencing number: one higher with every write
 * @param outgoing publications of the completed handling, in the order of publishing
 */
public record MessageRecord(
        RecordKey key, RecordState state, String owner, long version, List<OutboundMessage> outgoing) {

    public MessageRecord {
        outgoing = List.copyOf(outgoing);
    }

    /** The record after the next write. */
    public MessageRecord next(RecordState newState, String newOwner, List<OutboundMessage> newOutgoing) {
        return new MessageRecord(key, newState, newOwner, version + 1, newOutgoing);
    }
}
