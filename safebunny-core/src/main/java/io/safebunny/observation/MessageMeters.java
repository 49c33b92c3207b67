// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import io.safebunny.time.Timeline;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Meters of one message type: body sizes, and times since {@code sb-sent-at} (by the sender's clock, compared with this
 * machine's). A delayed publication counts from when it was due. Thread-safe.
 */
public final class MessageMeters {

    private final SafeTimer queue;
    private final SafeTimer critical;
    private final BodySizes sizes;
    private final String type;
    private final Timeline timeline;
    private final Tallies.Counters counters;

    MessageMeters(Metrics metrics, BodySizes sizes, String type, Timeline timeline) {
        this.queue = metrics.timer("safebunny.queue.time", "type", type);
        this.critical = metrics.timer("safebunny.critical.time", "type", type);
        this.sizes = sizes;
        this.type = type;
        this.timeline = timeline;
        this.counters = metrics.tallies().of(type);
        sizes.register(type);
    }

    /** Records {@code safebunny.queue.time}, the time until the first attempt is delivered, and {@code safebunny.body.size}. */
    public void delivered(long sentAt, byte[] body) {
        delivered(sentAt, body, timeline.now());
    }

    /** Like {@link #delivered(long, byte[])}, for a message that was delivered at the given time. */
    public void delivered(long sentAt, byte[] body, Instant at) {
        if (sentAt > 0) { // 0 means unknown
            queue.record(at.toEpochMilli() - sentAt, TimeUnit.MILLISECONDS);
        }
        sizes.record(type, body);
    }

    /** So many messages begin to be handled. The caller must tell their end. */
    public void begun(int messages) {
        counters.inWork.add(messages);
    }

    /** However it ended. */
    public void ended(int messages) {
        counters.inWork.add(-messages);
    }

    /** Records {@code safebunny.critical.time}: the time until it was handled, including all attempts and pauses. */
    public void completed(long sentAt) {
        counters.handled.increment();
        if (sentAt > 0) { // 0 means unknown
            long millis = timeline.now().toEpochMilli() - sentAt;
            critical.record(millis, TimeUnit.MILLISECONDS);
            counters.handledWithin(millis);
        }
    }
}
