// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.store.Listing;
import io.safebunny.store.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is stored of one sort, waits for a message, and is overdue. Thread-safe. */
public interface Overdue {

    /** Those that have been overdue since then or later, the earliest first. */
    List<MessageRecord> find(Instant from, Instant until, int limit);

    /** Since when it is overdue: {@link #find} goes by that. */
    Instant since(Listing listing);

    /** The same, overdue from then on. */
    Listing at(Instant since, Listing listing);

    /**
     * Takes one by a write, after which nobody finds it for a while. If that fails it is put off.
     *
     * @return {@code null} if another instance was faster, or nothing is to be sent
     */
    @Nullable
    Woken take(MessageRecord record, Instant now);

    /**
     * One that was taken.
     *
     * @param taken as it is stored now
     * @param alarms what is to be sent
     */
    record Woken(MessageRecord taken, List<OutboundMessage> alarms) {}
}
