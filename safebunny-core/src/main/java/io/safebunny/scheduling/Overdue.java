// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Overdue records of one kind: the message that should have woken them has not come. Thread-safe. */
public interface Overdue {

    /** Those overdue since {@code from} or later, but not after {@code until}; earliest first. */
    List<MessageRecord> find(Instant from, Instant until, int limit);

    /** Since when the record is overdue; {@link #find} selects by this time. */
    Instant since(Listing listing);

    /** The same listing, overdue from then on. */
    Listing at(Instant since, Listing listing);

    /**
     * Takes a record: writes it so that nobody finds it for a while. If this throws, the caller postpones the record.
     *
     * @return {@code null} if another instance was faster, or there is nothing to send
     */
    @Nullable
    Woken take(MessageRecord record, Instant now);

    /**
     * A record that was taken.
     *
     * @param taken as it is stored now
     * @param alarms messages to send
     */
    record Woken(MessageRecord taken, List<OutboundMessage> alarms) {}
}
