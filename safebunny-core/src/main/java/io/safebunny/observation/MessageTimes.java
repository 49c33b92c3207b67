// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.time.Timeline;
import java.util.concurrent.TimeUnit;

/**
 * How long the messages of one type are under way, from {@code sb-sent-at} on: the sender's clock against this machine's. A delayed
 * publication counts from when it was due. Thread-safe.
 */
public final class MessageTimes {

    private final SafeTimer queue;
    private final SafeTimer critical;
    private final Timeline timeline;

    MessageTimes(SafeTimer queue, SafeTimer critical, Timeline timeline) {
        this.queue = queue;
        this.critical = critical;
        this.timeline = timeline;
    }

    /** {@code safebunny.queue.time}: until it was delivered for its first attempt. */
    public void delivered(long sentAt) {
        recordSince(sentAt, queue);
    }

    /** {@code safebunny.critical.time}: until it was handled, however many attempts and pauses that took. */
    public void completed(long sentAt) {
        recordSince(sentAt, critical);
    }

    private void recordSince(long sentAt, SafeTimer timer) {
        if (sentAt > 0) { // otherwise it is unknown
            timer.record(timeline.now().toEpochMilli() - sentAt, TimeUnit.MILLISECONDS);
        }
    }
}
