// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Replay;
import io.safebunny.poison.ReplayRequest;
import io.safebunny.poison.Verdict;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.replaying.PoisonReader.Copy;
import io.safebunny.spi.transport.BrowsedQueue;
import io.safebunny.spi.transport.Delivery;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replay. Takes the copies one after the other, keeps those that do not match until its end, so that it sees each once, and moves one before it
 * takes the next. Runs on one thread; asked by any.
 */
final class QueueReplay implements Replay, Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(QueueReplay.class);

    private static final int MOST_REFUSALS = 100;
    private static final double NANOS_PER_SECOND = 1e9;

    private final String id;
    private final ReplayRequest request;
    private final Supplier<BrowsedQueue> browsing;
    private final ConfirmedSender sender;
    private final PoisonReader reader;
    private final Timeline timeline;
    private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** Digests, so that neither a second copy nor one that came back meanwhile is moved too. */
    private final Set<String> movedMessages = new HashSet<>();

    // guarded by this
    private State state = State.RUNNING;
    private int matched;
    private int moved;
    private final Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    private final List<PoisonedMessage> refusals = new ArrayList<>();
    private @Nullable String failure;

    QueueReplay(
            String id,
            ReplayRequest request,
            Supplier<BrowsedQueue> browsing,
            ConfirmedSender sender,
            PoisonReader reader,
            Timeline timeline) {
        this.id = id;
        this.request = request;
        this.browsing = browsing;
        this.sender = sender;
        this.reader = reader;
        this.timeline = timeline;
    }

    @Override
    public void run() {
        LOG.info(
                "Replay {} begins [by={}, reason={}, filter={}, per second={}, dry run={}, forced={}]",
                id,
                request.by(),
                request.reason(),
                request.filter(),
                request.perSecond(),
                request.dryRun(),
                request.forced());
        try (BrowsedQueue queue = browsing.get()) {
            end(replayAll(queue) ? State.ENDED : State.CANCELLED, null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(State.CANCELLED, null);
        } catch (Throwable e) {
            end(State.FAILED, String.valueOf(e.getMessage()));
            LOG.error("Replay {} failed; what it did not move is in the poison queue", id, e);
        } finally {
            LOG.info("Replay {} ended: {}", id, summary());
            ended.complete(null);
        }
    }

    /** @return false when it was cancelled */
    private boolean replayAll(BrowsedQueue queue) throws InterruptedException, ExecutionException {
        long began = timeline.nanoTime();
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
            if (request.filter().matches(copy.shown()) && !replay(delivery, copy, began)) {
                return false;
            }
        }
        return true;
    }

    /** @return false when it was cancelled while it waited */
    private boolean replay(Delivery delivery, Copy copy, long began) throws InterruptedException, ExecutionException {
        PoisonedMessage shown = copy.shown();
        boolean again = !shown.digest().isEmpty() && movedMessages.contains(shown.digest());
        if (again || copy.replayed() == null || !shown.verdict().isReplayed()) {
            judged(shown, false);
            return true;
        }
        if (!request.dryRun()) {
            if (!awaitTurn(began)) {
                return false;
            }
            sender.sendAndWait(new OutboundMessage(copy.replayed(), new Route.ToQueue(shown.queue()), Duration.ZERO));
            delivery.acknowledge();
            LOG.info("Replay {} moved message {} to {} [by={}]", id, shown.messageId(), shown.queue(), request.by());
        }
        movedMessages.add(shown.digest());
        judged(shown, true);
        return true;
    }

    private boolean awaitTurn(long began) throws InterruptedException, ExecutionException {
        if (request.perSecond() > 0) {
            long due = began + (long) (movedMessages.size() / request.perSecond() * NANOS_PER_SECOND);
            try {
                Object unused = timeline.await(cancelled, Duration.ofNanos(Math.max(0, due - timeline.nanoTime())));
            } catch (TimeoutException e) {
                return true;
            }
        }
        return !cancelled.isDone();
    }

    private synchronized int matched() {
        return matched;
    }

    private synchronized void judged(PoisonedMessage copy, boolean isMoved) {
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
            LOG.debug("Replay {} goes on", id);
        }
        return progress();
    }
}
