// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Overdue records of one kind, such as sagas: the alarm that should have woken them has not come. Thread-safe. */
public interface Overdue {

    /** The records that have been overdue since some time between {@code from} and {@code until}; earliest first. */
    List<MessageRecord> find(Instant from, Instant until, int limit);

    /** Since when the record is overdue; {@link #find} selects by this time. */
    Instant since(Listing listing);

    /** The same listing, but overdue since the given time. */
    Listing at(Instant since, Listing listing);

    /**
     * Takes a record, and writes it so that nobody finds it as overdue for a while. If this throws, the caller postpones the record.
     *
     * @return {@code null} if another instance was faster, or there is nothing to send
     */
    @Nullable
    Woken take(MessageRecord record, Instant now);

    /**
     * A record that was taken.
     *
     * @param taken the record, as it is stored now
     * @param alarms messages to send
     */
    record Woken(MessageRecord taken, List<OutboundMessage> alarms) {}
}
