// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How old a message may be when it is handled: whether an older one was handled before is not known any more. Thread-safe.
 *
 * @param retention how long handled messages are remembered; {@code null} when they are not, and then there is no limit
 */
record AgeLimit(Timeline timeline, @Nullable Duration retention) {

    /** @throws InvalidMessageException {@code too-old} */
    void require(Envelope message) {
        if (isExceeded(message, Duration.ZERO)) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_OLD,
                    "Message too old [age=%s, retention=%s]: whether it was handled before is no longer known. Check its effects, then publish it anew, or raise safebunny.dedup.retention."
                            .formatted(age(message), retention));
        }
    }

    /**
     * A handler that asks for its message after the limit would never get it. It is set aside at once, while it can still be replayed.
     *
     * @return the failure to recover from
     */
    Throwable inTime(Envelope message, Throwable failure) {
        Duration asked = asked(failure);
        if (asked == null || !isExceeded(message, asked)) {
            return failure;
        }
        return new PoisonMessageException(
                "The handler asked for the message again when it will be too old to be handled [delay=%s, age=%s, safebunny.dedup.retention=%s]. It is set aside now, while it can be replayed. Ask for less, or raise the retention."
                        .formatted(asked, age(message), retention),
                failure);
    }

    private static @Nullable Duration asked(Throwable failure) {
        if (failure instanceof RetryLaterException later) {
            return later.delay();
        }
        return failure instanceof ThrottledException throttled ? throttled.delay() : null;
    }

    private boolean isExceeded(Envelope message, Duration later) {
        return retention != null
                && message.sentAt() != 0
                && age(message).plus(later).compareTo(retention) > 0;
    }

    private Duration age(Envelope message) {
        return Duration.ofMillis(timeline.now().toEpochMilli() - message.sentAt());
    }
}
