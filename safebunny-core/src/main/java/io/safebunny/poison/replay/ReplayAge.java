// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How old a replay is: too old for its queue before the record expires that knows which of its steps were done, wherever it waits until
 * then. Thread-safe.
 *
 * @param retention how long handled messages are remembered
 * @param poisonRetention how long those are that were set aside
 */
record ReplayAge(Timeline timeline, Duration retention, Duration poisonRetention) {

    /** Of the retention: a copy is written after its record, and a handling that has begun is not ended by its age. */
    private static final int SHARE_LEFT = 100;

    /** Whether what is stored says how the message was set aside, and will until a replay is handled. */
    boolean isRemembered(@Nullable MessageRecord record, WireMessage copy, Envelope message) {
        return record != null
                && (record.state() != RecordState.POISONED || timeline.now().toEpochMilli() < end(copy, message));
    }

    /**
     * What to send. One that its queue would refuse for its age, or that says none, is as old as its replay, or older if its record
     * expires before it would be too old.
     *
     * @param record {@code null} when it is forgotten, or will be in a moment
     */
    WireMessage sent(
            WireMessage replayed, @Nullable MessageRecord record, WireMessage copy, Envelope message, boolean tooOld) {
        boolean known = record != null && record.state() == RecordState.POISONED;
        if (!tooOld && !(known && message.sentAt() == 0)) {
            return replayed;
        }
        long now = timeline.now().toEpochMilli();
        Map<String, Object> headers = new LinkedHashMap<>(replayed.headers());
        // goes before the timestamp, which stays
        headers.put(Headers.SENT_AT, known ? Math.min(now, end(copy, message) - retention.toMillis()) : now);
        return replayed.withHeaders(headers);
    }

    /** When its record begins to be about to expire. A copy that was not handled because of the record is younger than that. */
    private long end(WireMessage copy, Envelope message) {
        boolean isLater =
                PoisonReason.SET_ASIDE_BEFORE.wireName().equals(copy.headers().get(Headers.POISON_REASON));
        long setAside = isLater && message.sentAt() > 0
                ? message.sentAt()
                : copy.headers().get(Headers.POISONED_AT) instanceof Number millis ? millis.longValue() : 0;
        return setAside + poisonRetention.toMillis() - retention.toMillis() / SHARE_LEFT;
    }
}
