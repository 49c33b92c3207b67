// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.BrowsingException;
import io.safebunny.node.Node;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.poison.elsewhere.OtherOperations.Round;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many messages are set aside, in the background, and only while somebody reads it: the first reader is told nothing. The broker does not
 * count the copies that an instance holds. So all instances are asked before the broker is, and once more after it; the number counts only if
 * none of them held any meanwhile. Thread-safe; readers never wait.
 */
public final class SetAsideWatch {

    private static final Logger LOG = LoggerFactory.getLogger(SetAsideWatch.class);

    static final Duration INTERVAL = Duration.ofSeconds(15);
    static final Duration AFTER_REFUSAL = Duration.ofMinutes(5);

    /** While somebody holds copies. */
    static final Duration SOON = Duration.ofSeconds(2);

    /** How long after the last read it goes on. */
    static final Duration INTEREST = Duration.ofMinutes(1);

    private final String queue;
    private final Transport transport;
    private final OtherOperations others;
    private final LongSupplier quiet;
    private final Timeline timeline;
    private final SerialTask looking;
    private volatile SetAside known = SetAside.UNKNOWN;
    private volatile long lastRead;
    private volatile boolean goesOn;

    // used by one look at a time
    private volatile @Nullable Counted counted;
    private volatile long refusedUntil;

    /**
     * @param before what the others had said
     * @param browsed what {@link #quiet} was
     */
    private record Counted(Round before, long browsed, long copies) {}

    /** @param quiet how often this instance has begun to browse; {@code -1} while it does */
    public SetAsideWatch(Node node, OtherOperations others, LongSupplier quiet) {
        this.queue = Topology.poisonOf(node.name());
        this.transport = node.transport();
        this.others = others;
        this.quiet = quiet;
        this.timeline = node.timeline();
        this.refusedUntil = timeline.nanoTime();
        this.looking = new SerialTask("counting what is set aside", this::look, node.workers(), timeline);
    }

    public SetAside get() {
        lastRead = timeline.nanoTime();
        if (!goesOn) {
            goesOn = true;
            looking.request();
        }
        return known;
    }

    public void stop() {
        looking.stop();
        known = SetAside.UNKNOWN;
    }

    private void look() {
        if (timeline.nanoTime() - lastRead > INTEREST.toNanos()) {
            known = SetAside.UNKNOWN;
            counted = null;
            goesOn = false;
            return;
        }
        Counted before = counted;
        counted = null;
        var unused = others.ask().thenAccept(round -> {
            if (before == null) {
                count(round);
            } else {
                compare(before, round);
            }
        });
    }

    private void count(Round round) {
        long browsed = quiet.getAsLong();
        if (round.isBrowsing() || browsed < 0) {
            tell(OptionalLong.empty(), round, SOON);
            return;
        }
        OptionalLong copies = copies();
        if (copies.isEmpty()) {
            tell(copies, round, INTERVAL);
            return;
        }
        counted = new Counted(round, browsed, copies.getAsLong());
        looking.requestAfter(Nodes.SAME_ANSWER, Timeline.Purpose.UPKEEP);
    }

    private OptionalLong copies() {
        if (timeline.nanoTime() - refusedUntil < 0) {
            return OptionalLong.empty();
        }
        try {
            return transport.depth(queue);
        } catch (BrowsingException e) {
            LOG.debug("The broker does not say how many messages queue '{}' holds", queue, e);
            if (!e.code().equals(BrowsingException.UNAVAILABLE)) {
                refusedUntil = timeline.nanoTime() + AFTER_REFUSAL.toNanos();
            }
        } catch (RuntimeException e) { // otherwise nobody would look again
            LOG.debug("Could not ask how many messages queue '{}' holds", queue, e);
        }
        return OptionalLong.empty();
    }

    private void compare(Counted then, Round now) {
        boolean isTrue = then.browsed == quiet.getAsLong() && then.before.isQuietUntil(now);
        tell(isTrue ? OptionalLong.of(then.copies) : OptionalLong.empty(), now, isTrue ? INTERVAL : SOON);
    }

    private void tell(OptionalLong copies, Round round, Duration pause) {
        known = new SetAside(copies, null, round.told());
        looking.requestAfter(pause, Timeline.Purpose.UPKEEP);
    }
}
