// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds what listeners of a commit publish to the message's record, which is complete: before the commit as part of the transaction, after
 * it in a write of its own. Confined to one thread.
 */
final class LatePublications {

    private static final int MOST_TRIES = 5;

    private final TransactionalMessageStore store;
    private MessageRecord record;

    LatePublications(TransactionalMessageStore store, MessageRecord completed) {
        this.store = store;
        this.record = completed;
    }

    /** As written last. */
    MessageRecord record() {
        return record;
    }

    /** @throws RuntimeException it is not added */
    void add(OutboundMessage publication) {
        for (int tries = 1; tries <= MOST_TRIES; tries++) {
            List<OutboundMessage> outgoing = new ArrayList<>(record.outgoing());
            outgoing.add(publication);
            MessageRecord written = store.replace(record.completed(outgoing));
            if (written != null) {
                record = written;
                return;
            }
            MessageRecord stored =
                    store.find(record.key()); // a sweeper may have sent some, if listeners take that long
            if (stored == null
                    || (stored.state() != RecordState.COMPLETED && stored.state() != RecordState.DISPATCHED)) {
                break;
            }
            record = stored;
        }
        throw new InvalidPublicationException(
                "A listener of the commit of message %s publishes, and its record is not as it was left [publication=%s]. Publish in the handler."
                        .formatted(
                                record.key().messageId(), publication.message().messageId()));
    }
}
