// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.elsewhere;

import io.safebunny.concurrency.SerialTask;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.node.Node;
import io.safebunny.operations.questions.Nodes;
import io.safebunny.poison.elsewhere.OtherOperations.Round;
import io.safebunny.poison.elsewhere.PoisonDepth.Count;
import io.safebunny.poison.elsewhere.SetAside.Uncounted;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
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

    /** While this instance holds copies. */
    static final Duration HELD_HERE = Duration.ofSeconds(2);

    /** While another instance holds copies. */
    static final Duration HELD_ELSEWHERE = Duration.ofSeconds(5);

    /** For each other instance, because each may ask as well: an instance answers at most two such questions a second. */
    static final Duration PER_INSTANCE = Duration.ofSeconds(1);

    /** How long after the last read it goes on. Behind a load balancer, each instance is read only now and then. */
    static final Duration INTEREST = Duration.ofMinutes(10);

    /** If nobody has read it for as long, it looks as rarely, and at once for the next reader. */
    static final Duration SELDOM = Duration.ofMinutes(1);

    private final PoisonDepth depth;
    private final OtherOperations others;
    private final LongSupplier quiet;
    private final Timeline timeline;
    private final SerialTask looking;
    private volatile SetAside known = SetAside.UNKNOWN;
    private volatile long lastRead;
    /** Whether the next reader has it look at once. */
    private volatile boolean rests = true;

    // used by one look at a time
    private volatile boolean looks;
    private volatile @Nullable Counted counted;

    /** @param before what the others had said */
    private record Counted(Round before, Count copies) {}

    /** @param quiet how often this instance has begun to browse; {@code -1} while it does */
    public SetAsideWatch(Node node, OtherOperations others, PoisonDepth depth, LongSupplier quiet) {
        this.depth = depth;
        this.others = others;
        this.quiet = quiet;
        this.timeline = node.timeline();
        this.looking = new SerialTask("counting what is set aside", this::look, node.workers(), timeline);
    }

    public SetAside get() {
        lastRead = timeline.nanoTime();
        if (rests) {
            rests = false;
            looking.request();
        }
        return known;
    }

    public void stop() {
        looking.stop();
        known = SetAside.UNKNOWN;
    }

    private boolean isReadWithin(Duration time) {
        return timeline.nanoTime() - lastRead <= time.toNanos();
    }

    private void look() {
        if (looks) { // this one was asked for by a reader, just when it was due
            return;
        }
        if (!isReadWithin(INTEREST)) {
            known = SetAside.UNKNOWN;
            counted = null;
            rests = true;
            return;
        }
        rests = false;
        looks = true;
        Counted before = counted;
        counted = null;
        CompletableFuture<Duration> unused = CompletableFuture.completedFuture(before)
                .thenCompose(unread -> others.ask())
                .thenApply(round -> before == null ? count(round) : compare(before, round))
                .exceptionally(this::failed)
                .thenApply(this::looksAgainAfter);
    }

    /** Whatever it was: otherwise nobody would look again, and what was known would be told for ever. */
    private Duration failed(Throwable failure) {
        LOG.warn(
                "Could not count what is set aside; trying again in {} s",
                INTERVAL.toSeconds(),
                ExceptionDetails.TYPE_ONLY.logged(failure));
        counted = null;
        known = new SetAside(OptionalLong.empty(), Uncounted.FAILED, null, null);
        return INTERVAL;
    }

    private Duration looksAgainAfter(Duration pause) {
        looks = false;
        looking.requestAfter(pause, Timeline.Purpose.UPKEEP);
        return pause;
    }

    private Duration count(Round round) {
        if (round.isBrowsing()) {
            return uncounted(Uncounted.BROWSED, round, HELD_ELSEWHERE);
        }
        Count count = depth.ask();
        if (count.uncounted() != null) {
            return uncounted(count.uncounted(), round, count.uncounted() == Uncounted.BROWSED ? HELD_HERE : INTERVAL);
        }
        counted = new Counted(round, count);
        return Nodes.SAME_ANSWER;
    }

    private Duration compare(Counted then, Round now) {
        if (then.copies.browsed() != quiet.getAsLong() || !then.before.isQuietUntil(now)) {
            return uncounted(Uncounted.BROWSED, now, HELD_ELSEWHERE);
        }
        known = new SetAside(then.copies.copies(), null, null, now.told());
        return pause(INTERVAL, now);
    }

    private Duration uncounted(Uncounted why, Round round, Duration pause) {
        known = new SetAside(OptionalLong.empty(), why, null, round.told());
        return pause(pause, round);
    }

    private Duration pause(Duration usual, Round round) {
        rests = !isReadWithin(SELDOM);
        Duration least = rests ? SELDOM : usual;
        Duration fair = PER_INSTANCE.multipliedBy(round.told().instances().size());
        return least.compareTo(fair) < 0 ? fair : least;
    }
}
