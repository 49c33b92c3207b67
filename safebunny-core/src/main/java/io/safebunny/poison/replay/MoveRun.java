// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.concurrency.Rate;
import io.safebunny.failure.BrowsingException;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.poison.replay.PoisonReader.Copy;
import io.safebunny.poison.wanted.Lookahead;
import io.safebunny.time.Timeline;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the copies one by one, and moves each before taking the next. Copies that stay are held until the end, so that each is seen only
 * once. Before the broker would take back copies that were held for too long, the run puts them all back and browses again. Runs once, on
 * one thread.
 */
final class MoveRun implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(MoveRun.class);

    private static final int LONGEST_FILTER = 500;

    /** Brokers close the channel of a consumer that holds a message for longer than {@code consumer_timeout}, by default 30 minutes. */
    private static final Duration LONGEST_KEPT = Duration.ofMinutes(20);

    /** How long to wait each time for others who are browsing, until they put the copies back. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final int MOST_WAITS = 3;
    private static final long NOT_COUNTED = -1;

    private final TrackedOperation operation;
    private final PoisonRequest request;
    private final CopyRule rule;
    private final Supplier<BrowsedQueue> browsing;
    private final CopyMover mover;
    private final PoisonReader reader;
    private final Timeline timeline;
    private final Rate rate;
    private final JudgedCopies judged = new JudgedCopies();
    /** Queue depth when the first copy was taken; copies that are set aside later are out of scope. */
    private long inScope = NOT_COUNTED;

    private long gone;

    /** @param browsing opens the queue; each call begins at the first copy */
    MoveRun(
            TrackedOperation operation,
            CopyRule rule,
            Supplier<BrowsedQueue> browsing,
            CopyMover mover,
            PoisonReader reader) {
        this.operation = operation;
        this.request = operation.request();
        this.rule = rule;
        this.browsing = browsing;
        this.mover = mover;
        this.reader = reader;
        this.timeline = operation.timeline();
        this.rate = new Rate(request.perSecond(), timeline);
    }

    @Override
    public void run() {
        LOG.info(
                "{} begins [by={}, reason={}, filter={}, per second={}, dry run={}, forced={}]",
                operation,
                request.by(),
                request.reason(),
                Names.printable(request.filter().toString(), LONGEST_FILTER),
                request.perSecond(),
                request.dryRun(),
                request.forced());
        try {
            operation.end(rounds() == Round.DONE ? RunState.ENDED : RunState.CANCELLED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            operation.end(RunState.CANCELLED);
        } catch (Throwable e) {
            LOG.error("{} failed; {}", operation, operation.whereTheRestIs(), operation.fail(e));
        } finally {
            LOG.info("{}: {}", operation, operation.summary());
        }
    }

    private enum Round {
        DONE,
        /** The held copies are put back, and browsing begins again. */
        AGAIN,
        CANCELLED
    }

    private Round rounds() throws InterruptedException, ExecutionException {
        Round end;
        do {
            end = pause(rate.left()) ? round() : Round.CANCELLED;
        } while (end == Round.AGAIN);
        return end;
    }

    private Round round() throws InterruptedException, ExecutionException {
        try (Lookahead queue = reader.ahead(browsing.get(), this::isToBeJudged, atOnce())) {
            judged.putBack();
            return take(queue);
        } finally {
            operation.holds(0); // they are put back
        }
    }

    private boolean isToBeJudged(WireMessage copy) {
        return reader.matches(copy, request.filter()) && !judged.isToCome(copy);
    }

    /** As many as are moved within the time for which an answer counts. */
    private int atOnce() {
        double perSecond = request.perSecond();
        int most = request.filter().limit();
        return perSecond == 0 ? most : (int) Math.min(most, Math.ceil(perSecond));
    }

    private Round nothing() {
        return operation.cancelled().isDone() ? Round.CANCELLED : Round.DONE;
    }

    private Round take(Lookahead queue) throws InterruptedException, ExecutionException {
        long since = timeline.nanoTime();
        int before = operation.matched();
        String from = "";
        long goneBefore = gone;
        long most = inScope == NOT_COUNTED ? Long.MAX_VALUE : inScope - gone;
        for (long taken = 0;
                taken < most && operation.matched() < request.filter().limit();
                taken++) {
            if (timeline.nanoTime() + rate.left().toNanos() - since > LONGEST_KEPT.toNanos()) {
                requireProgress(before, from);
                return Round.AGAIN;
            }
            if (!pause(rate.left())) {
                return Round.CANCELLED;
            }
            Delivery delivery = next(queue);
            if (delivery == null) {
                operation.missed(inScope == NOT_COUNTED ? 0 : most - taken);
                return nothing();
            }
            if (inScope == NOT_COUNTED) {
                inScope = 1 + queue.waiting();
                most = inScope;
                operation.depth(inScope);
            }
            operation.scanned(goneBefore + taken + 1);
            operation.holds(goneBefore + taken + 1 + queue.ahead() - gone);
            from = delivery.message().queue();
            treat(delivery);
            operation.holds(goneBefore + taken + 1 + queue.ahead() - gone);
        }
        return Round.DONE;
    }

    private void requireProgress(int before, String queue) {
        if (operation.matched() == before) {
            throw new BrowsingException(
                    queue,
                    "in %s minutes only copies came that do not match, and these cannot be held for longer. Move or discard some of those first."
                            .formatted(LONGEST_KEPT.toMinutes()),
                    null);
        }
    }

    /** The next copy; {@code null} if others hold the rest, or the operation was cancelled. */
    private @Nullable Delivery next(BrowsedQueue queue) throws InterruptedException, ExecutionException {
        Delivery delivery = queue.next();
        for (int waits = 0; delivery == null && waits < MOST_WAITS && pause(PATIENCE); waits++) {
            delivery = queue.next();
        }
        return delivery;
    }

    /** @return false if the operation was cancelled */
    private boolean pause(Duration pause) throws InterruptedException, ExecutionException {
        if (pause.isZero()) {
            return !operation.cancelled().isDone();
        }
        try {
            Object unused = timeline.await(operation.cancelled(), pause);
            return false;
        } catch (TimeoutException e) {
            return true;
        }
    }

    private void treat(Delivery delivery) {
        WireMessage wire = delivery.message().message();
        if (!reader.matches(wire, request.filter()) || judged.removeToCome(wire)) {
            return;
        }
        Copy copy = reader.read(wire, request.forced());
        if (!request.filter().matches(copy.shown())) {
            judged.add(wire);
            return;
        }
        Verdict wanted = request.filter().verdict();
        boolean isWanted = wanted == null || wanted == copy.shown().verdict();
        OutboundMessage message = isWanted ? rule.of(copy) : null;
        if (message == null) {
            if (isUnanswered(copy.shown().verdict()) && !request.dryRun()) {
                rate.take(); // otherwise the run would rush through the queue during an outage of the store, or of
                // a saga's node
            }
            stays(wire, copy.shown());
        } else if (request.dryRun()) {
            judged.add(wire);
            moved(copy);
        } else {
            rate.take();
            rule.moving(copy);
            String refusal = mover.move(operation, delivery, message, copy.isOlder());
            if (refusal == null) {
                gone++;
                moved(copy);
            } else {
                stays(wire, Copy.kept(wire, Verdict.REFUSED, refusal).shown());
            }
        }
    }

    private static boolean isUnanswered(Verdict verdict) {
        return verdict == Verdict.UNKNOWN || verdict == Verdict.UNSURE;
    }

    private void moved(Copy copy) {
        rule.moved(copy);
        mover.count(operation, true);
        operation.moved(copy.shown());
    }

    private void stays(WireMessage wire, PoisonedMessage shown) {
        judged.add(wire);
        mover.count(operation, false);
        operation.refused(shown);
    }
}
