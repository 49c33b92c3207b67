// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.time.Timeline;
import java.util.concurrent.TimeUnit;

/**
 * How large the messages of one type are, and how long they are under way, from {@code sb-sent-at} on: the sender's clock against this
 * machine's. A delayed publication counts from when it was due. Thread-safe.
 */
public final class MessageMeters {

    private final SafeTimer queue;
    private final SafeTimer critical;
    private final BodySizes sizes;
    private final String type;
    private final Timeline timeline;

    MessageMeters(SafeTimer queue, SafeTimer critical, BodySizes sizes, String type, Timeline timeline) {
        this.queue = queue;
        this.critical = critical;
        this.sizes = sizes;
        this.type = type;
        this.timeline = timeline;
        sizes.register(type);
    }

    /** {@code safebunny.queue.time}: until it was delivered for its first attempt; and {@code safebunny.body.size}. */
    public void delivered(long sentAt, byte[] body) {
        recordSince(sentAt, queue);
        sizes.record(type, body);
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
