// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.BrowsingException;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Depth of the poison queue, as the broker last reported it. The broker is asked in the background, at most every 15 s, and only while
 * somebody reads the number, so the first reader gets NaN. If the broker refuses, it is asked again after 5 minutes. While somebody browses
 * here, the broker does not count the copies that are held, so nobody knows. Thread-safe; readers never wait.
 */
final class PoisonDepth implements Supplier<Number> {

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
    private volatile double known = Double.NaN;
    private volatile long lastRead;
    private volatile boolean goesOn;

    /** @param quiet see {@link Browsing#quiet} */
    PoisonDepth(String node, Transport transport, LongSupplier quiet, Timeline timeline, Executor blocking) {
        this.quiet = quiet;
        this.queue = Topology.poisonOf(node);
        this.transport = transport;
        this.timeline = timeline;
        this.asking = new SerialTask("asking for the depth of " + queue, this::ask, blocking, timeline);
    }

    @Override
    public Number get() {
        lastRead = timeline.nanoTime();
        if (!goesOn) {
            goesOn = true;
            asking.request();
        }
        return known;
    }

    private void ask() {
        boolean isRead = timeline.nanoTime() - lastRead < INTEREST.toNanos();
        if (!isRead) {
            goesOn = false;
            known = Double.NaN;
            return;
        }
        double depth = Double.NaN;
        Duration pause = AFTER_REFUSAL;
        try {
            long before = quiet.getAsLong();
            OptionalLong told = before < 0 ? OptionalLong.empty() : transport.depth(queue);
            if (before < 0 || quiet.getAsLong() != before) {
                pause = WHILE_HELD;
            } else if (told.isPresent()) {
                depth = told.getAsLong();
                pause = INTERVAL;
            }
        } catch (BrowsingException e) {
            LOG.debug("The broker does not say how many messages queue '{}' holds", queue, e);
            pause = e.code().equals(BrowsingException.UNAVAILABLE) ? INTERVAL : AFTER_REFUSAL;
        } finally {
            known = depth;
            asking.requestAfter(pause);
        }
    }

    void stop() {
        asking.stop();
        known = Double.NaN;
    }
}
