// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes the age with which a replayed message is sent. Its record holds the completed steps. So wherever the message waits, it must
 * become too old for its queue before the record expires. Thread-safe.
 *
 * @param retention how long records of handled messages are kept
 * @param poisonRetention how long records of messages that were set aside are kept
 */
record ReplayAge(Timeline timeline, Duration retention, Duration poisonRetention) {

    /** The margin is the retention divided by this: copies are written after their record, and handling takes time. */
    private static final int SHARE_LEFT = 100;

    /** Whether there is a record and, if the message is set aside, the record will still be there when a replay is handled. */
    boolean isRemembered(@Nullable MessageRecord record, WireMessage copy, Envelope message) {
        return record != null
                && (record.state() != RecordState.POISONED || timeline.now().toEpochMilli() < end(copy, message));
    }

    /**
     * The message to send. If its queue would refuse it as too old, or it does not say when it was sent, it counts as sent now, or earlier
     * if otherwise its record would expire first.
     *
     * @param record {@code null} if it has expired, or is about to
     */
    WireMessage sent(
            WireMessage replayed, @Nullable MessageRecord record, WireMessage copy, Envelope message, boolean tooOld) {
        boolean known = record != null && record.state() == RecordState.POISONED;
        if (!tooOld && !(known && message.sentAt() == 0)) {
            return replayed;
        }
        long now = timeline.now().toEpochMilli();
        Map<String, Object> headers = new LinkedHashMap<>(replayed.headers());
        headers.putIfAbsent(Headers.MADE_AT, message.sentAt()); // its codec may have bound its body to this
        // this header takes precedence over the timestamp, which stays unchanged
        headers.put(Headers.SENT_AT, known ? Math.min(now, end(copy, message) - retention.toMillis()) : now);
        return replayed.withHeaders(headers);
    }

    /**
     * When the message's record counts as expired, margin included. A copy that was set aside because its message had been set aside before
     * is younger than that record.
     */
    private long end(WireMessage copy, Envelope message) {
        boolean isLater =
                PoisonReason.SET_ASIDE_BEFORE.wireName().equals(copy.headers().get(Headers.POISON_REASON));
        long setAside = isLater && message.sentAt() > 0
                ? message.sentAt()
                : copy.headers().get(Headers.POISONED_AT) instanceof Number millis ? millis.longValue() : 0;
        return setAside + poisonRetention.toMillis() - retention.toMillis() / SHARE_LEFT;
    }
}
