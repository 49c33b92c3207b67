// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import io.safebunny.identity.RandomIds;
import io.safebunny.message.Names;
import io.safebunny.observation.Metrics;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.replaying.PoisonReader.Copy;
import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the copies one after the other, keeps those that do not match until its end, so that it sees each once, and moves one before it takes
 * the next. Runs on one thread; asked by any.
 */
final class QueueOperation implements PoisonOperation, Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(QueueOperation.class);

    private static final int MOST_REFUSALS = 100;
    private static final int LONGEST_FILTER = 500;
    private static final double NANOS_PER_SECOND = 1e9;
    /** A day. */
    private static final double LONGEST_PAUSE = 86_400 * NANOS_PER_SECOND;

    private static final long MOST_MADE_UP = Duration.ofMillis(100).toNanos();

    private final String id;
    private final Kind kind;
    private final PoisonRequest request;
    private final Treatment treatment;
    private final Instant begunAt;
    private final Supplier<BrowsedQueue> browsing;
    private final CopyMover mover;
    private final PoisonReader reader;
    private final Timeline timeline;
    private final Metrics metrics;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Of the thread that runs it. */
    private long nextTurn;

    // guarded by this
    private State state = State.RUNNING;
    private int matched;
    private int moved;
    private final Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    private final List<PoisonedMessage> refusals = new ArrayList<>();
    private @Nullable String failure;

    QueueOperation(
            Kind kind,
            PoisonRequest request,
            Treatment treatment,
            Supplier<BrowsedQueue> browsing,
            CopyMover mover,
            PoisonReader reader,
            Timeline timeline,
            Metrics metrics) {
        this.id = RandomIds.next(timeline.random());
        this.kind = kind;
        this.request = request;
        this.treatment = treatment;
        this.begunAt = timeline.now();
        this.browsing = browsing;
        this.mover = mover;
        this.reader = reader;
        this.timeline = timeline;
        this.metrics = metrics;
    }

    @Override
    public void run() {
        LOG.info(
                "{} {} begins [by={}, reason={}, filter={}, per second={}, dry run={}, forced={}]",
                kind,
                id,
                request.by(),
                request.reason(),
                Names.printable(request.filter().toString(), LONGEST_FILTER),
                request.perSecond(),
                request.dryRun(),
                request.forced());
        try {
            end(treatAll() ? State.ENDED : State.CANCELLED, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(State.CANCELLED, null);
        } catch (Throwable e) {
            end(State.FAILED, String.valueOf(e.getMessage()));
            LOG.error("{} {} failed; what it did not move is where it was", kind, id, e);
        } finally {
            LOG.info("{} {} ended: {}", kind, id, summary());
            ended.complete(null);
        }
    }

    /** @return false when it was cancelled */
    private boolean treatAll() throws InterruptedException, ExecutionException {
        try (BrowsedQueue queue = browsing.get()) {
            return treatAll(queue);
        }
    }

    private boolean treatAll(BrowsedQueue queue) throws InterruptedException, ExecutionException {
        nextTurn = timeline.nanoTime();
        long depth = queue.depth(); // what is set aside from now on is not meant
        for (long taken = 0; taken < depth && matched() < request.filter().limit(); taken++) {
            if (cancelled.isDone()) {
                return false;
            }
            Delivery delivery = queue.next();
            if (delivery == null) {
                return true;
            }
            Copy copy = reader.read(delivery.message().message(), request.forced());
            if (request.filter().matches(copy.shown()) && !treat(delivery, copy)) {
                return false;
            }
        }
        return true;
    }

    /** @return false when it was cancelled while it waited */
    private boolean treat(Delivery delivery, Copy copy) throws InterruptedException, ExecutionException {
        OutboundMessage message = treatment.of(copy);
        String refusal = null;
        if (message != null && !request.dryRun()) {
            if (!awaitTurn()) {
                return false;
            }
            refusal = mover.move(this, delivery, message);
        }
        if (refusal != null) {
            judged(Copy.kept(copy.wire(), Verdict.REFUSED, refusal).shown(), false);
            return true;
        }
        if (message != null) {
            treatment.moved(copy);
        }
        judged(copy.shown(), message != null);
        return true;
    }

    /** Once it was held up, it makes up for a moment and no more, or it would be faster than it may. */
    private boolean awaitTurn() throws InterruptedException, ExecutionException {
        if (request.perSecond() > 0) {
            nextTurn = Math.max(nextTurn, timeline.nanoTime() - MOST_MADE_UP);
            try {
                Object unused =
                        timeline.await(cancelled, Duration.ofNanos(Math.max(0, nextTurn - timeline.nanoTime())));
            } catch (TimeoutException e) {
                nextTurn += (long) Math.min(NANOS_PER_SECOND / request.perSecond(), LONGEST_PAUSE);
                return true;
            }
        }
        return !cancelled.isDone();
    }

    private synchronized int matched() {
        return matched;
    }

    private synchronized void judged(PoisonedMessage copy, boolean isMoved) {
        if (kind == Kind.REPLAY && !request.dryRun()) {
            metrics.replayed(isMoved);
        }
        matched++;
        verdicts.merge(copy.verdict(), 1, Integer::sum);
        if (isMoved) {
            moved++;
        } else if (refusals.size() < MOST_REFUSALS) {
            refusals.add(copy);
        }
    }

    private synchronized void end(State how, @Nullable String why) {
        state = how;
        failure = why;
    }

    private synchronized String summary() {
        return "%s [matched=%d, moved=%d, verdicts=%s]".formatted(state, matched, moved, verdicts);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public PoisonRequest request() {
        return request;
    }

    @Override
    public Instant begunAt() {
        return begunAt;
    }

    @Override
    public synchronized Progress progress() {
        return new Progress(state, matched, moved, verdicts, refusals, failure);
    }

    @Override
    public void cancel() {
        cancelled.complete(null);
    }

    @Override
    public Progress await(Duration patience) throws InterruptedException {
        try {
            Object unused = timeline.await(ended, patience);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("{} {} goes on", kind, id);
        }
        return progress();
    }
}
