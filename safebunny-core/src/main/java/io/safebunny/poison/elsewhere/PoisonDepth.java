// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.BrowsingException;
import io.safebunny.poison.elsewhere.SetAside.Uncounted;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many copies the broker counts in the poison queue. It does not count those that somebody holds, so while this instance browses nobody
 * knows. As a number for metrics, it is asked in the background, at most every 15 s, and only while somebody reads that, so the first reader
 * gets NaN. A broker that refuses is asked again after 5 minutes. Thread-safe.
 */
public final class PoisonDepth implements Supplier<Number> {

    private static final Logger LOG = LoggerFactory.getLogger(PoisonDepth.class);

    static final Duration INTERVAL = Duration.ofSeconds(15);
    static final Duration AFTER_REFUSAL = Duration.ofMinutes(5);
    static final Duration WHILE_HELD = Duration.ofSeconds(1);

    /**
     * How long after the last read the broker is still asked: whoever reads at least this often gets a number no older than the interval.
     */
    private static final Duration INTEREST = Duration.ofMinutes(10);

    private final String queue;
    private final Transport transport;
    private final Timeline timeline;
    private final LongSupplier quiet;
    private final SerialTask asking;
    private volatile Count latest;
    private volatile long refusedUntil;
    private volatile long lastRead;
    private volatile boolean goesOn;

    /**
     * What the broker has said.
     *
     * @param copies empty if nobody knows
     * @param uncounted why; {@code null} if it is known
     * @param browsed how often this instance had begun to browse; {@code -1} while it does
     * @param at when, of the clock that only goes on
     */
    record Count(OptionalLong copies, @Nullable Uncounted uncounted, long browsed, long at) {}

    /** @param quiet how often this instance has begun to browse; {@code -1} while it does */
    public PoisonDepth(String node, Transport transport, LongSupplier quiet, Timeline timeline, Executor blocking) {
        this.queue = Topology.poisonOf(node);
        this.transport = transport;
        this.quiet = quiet;
        this.timeline = timeline;
        this.refusedUntil = timeline.nanoTime();
        this.latest = uncounted(Uncounted.NOT_YET, 0);
        this.asking = new SerialTask("asking for the depth of " + queue, this::askInTurn, blocking, timeline);
    }

    /** Never waits. */
    @Override
    public Number get() {
        lastRead = timeline.nanoTime();
        if (!goesOn) {
            goesOn = true;
            asking.request();
        }
        Count known = latest;
        return known.copies.isEmpty() || isOlderThan(INTERVAL.multipliedBy(2), known)
                ? Double.NaN
                : (double) known.copies.getAsLong();
    }

    private boolean isOlderThan(Duration age, Count count) {
        return timeline.nanoTime() - count.at > age.toNanos();
    }

    private void askInTurn() {
        if (timeline.nanoTime() - lastRead >= INTEREST.toNanos()) {
            goesOn = false;
            return;
        }
        Duration pause = INTERVAL;
        try {
            Count known = latest;
            if (known.copies.isPresent() && !isOlderThan(INTERVAL.minusNanos(1), known)) { // somebody else has asked
                pause = INTERVAL.minusNanos(timeline.nanoTime() - known.at);
            } else if (ask().uncounted == Uncounted.BROWSED) {
                pause = WHILE_HELD;
            }
        } finally {
            asking.requestAfter(pause);
        }
    }

    /** Asks the broker, unless it has refused lately, and waits for its answer. */
    Count ask() {
        Count count = null;
        try {
            count = asked();
            return count;
        } finally {
            latest = count == null ? uncounted(Uncounted.FAILED, 0) : count;
        }
    }

    private Count asked() {
        long browsed = quiet.getAsLong();
        if (browsed < 0) {
            return uncounted(Uncounted.BROWSED, browsed);
        }
        if (timeline.nanoTime() - refusedUntil < 0) {
            return uncounted(Uncounted.REFUSED, browsed);
        }
        try {
            OptionalLong copies = transport.depth(queue);
            if (copies.isEmpty()) {
                return uncounted(Uncounted.FAILED, browsed);
            }
            return quiet.getAsLong() == browsed
                    ? new Count(copies, null, browsed, timeline.nanoTime())
                    : uncounted(Uncounted.BROWSED, browsed);
        } catch (BrowsingException e) {
            LOG.debug("The broker does not say how many messages queue '{}' holds", queue, e);
            if (e.code().equals(BrowsingException.UNAVAILABLE)) {
                return uncounted(Uncounted.FAILED, browsed);
            }
            refusedUntil = timeline.nanoTime() + AFTER_REFUSAL.toNanos();
            return uncounted(Uncounted.REFUSED, browsed);
        }
    }

    private Count uncounted(Uncounted why, long browsed) {
        return new Count(OptionalLong.empty(), why, browsed, timeline.nanoTime());
    }

    public void stop() {
        asking.stop();
        latest = uncounted(Uncounted.NOT_YET, 0); // not the last number for ever
    }
}
