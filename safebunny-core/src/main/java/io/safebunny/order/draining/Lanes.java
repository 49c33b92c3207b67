// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.concurrency.RecurringTask;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.message.Headers;
import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.order.lane.LaneFigures.Counted;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lanes of a node whose handlers take messages in order: has each run when it is due, and sweeps for those whose instance has died.
 * Thread-safe.
 */
public final class Lanes implements NodeFeature {

    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);

    private static final Subject FAILED = Subject.warn(LOG, "Running what waits in order failed");

    private final Node node;
    private final @Nullable LaneRunner runner;
    private final RecurringTask sweeps;
    private final RecurringTask frees;
    private final @Nullable LaneCounts counts;
    private final RecurringTask counting;

    private volatile boolean isOpen;
    private volatile @Nullable Boolean isOrdered;

    public Lanes(Node node) {
        this.node = node;
        this.runner = node.store() == null ? null : new LaneRunner(node);
        this.sweeps = new RecurringTask(
                "sweeping lanes", node.options().lease().dividedBy(2), this::sweep, node.workers(), node.timeline());
        this.frees = new RecurringTask(
                "freeing lanes", node.options().lease().multipliedBy(20), this::free, node.workers(), node.timeline());
        this.counts = node.store() == null ? null : new LaneCounts(node);
        this.counting = new RecurringTask(
                "counting what waits in order", node.options().lease(), this::count, node.workers(), node.timeline());
    }

    /**
     * To be called before anything is declared.
     *
     * @param handlers all of the node
     * @throws ConfigurationException SB-1122 if messages wait in the store that nobody would handle
     */
    public void requireNoneLeft(List<HandlerDefinition> handlers) {
        MessageStore store = node.parts().store(); // itself, as nothing is measured before the start
        if (store != null && !handlers.isEmpty()) {
            LaneListing.requireNoneLeft(store, handlers, node.log());
        }
    }

    /** To be called for each handler before anything is consumed. */
    public void add(HandlerDefinition handler, DeliveryHandler pipeline) {
        if (runner != null && handler.ordering().isOrdered()) {
            runner.handles(handler.type(), pipeline, handler.ordering() == Ordering.HOLD, handler.prefetch());
        }
    }

    @Override
    public List<Object> offers() {
        return node.store() == null ? List.of(this) : List.of(this, new WaitingKeys(node.requireStore()));
    }

    @Override
    public void startConsuming(List<HandlerDefinition> handlers) {
        isOrdered = runner != null
                && handlers.stream().anyMatch(handler -> handler.ordering().isOrdered());
        if (runner != null && counts != null && Boolean.TRUE.equals(isOrdered)) {
            isOpen = true;
            runner.start();
            handlers.stream()
                    .filter(handler -> handler.ordering().isOrdered())
                    .forEach(handler -> counts.measure(handler.type()));
            sweeps.start();
            frees.start();
            counting.start();
        }
    }

    @Override
    public void stopConsuming() {
        if (isOpen && runner != null) {
            isOpen = false;
            runner.stop();
            sweeps.stop();
            frees.stop();
            counting.stop();
        }
    }

    /** Done when no message from the store is being handled any more; to be asked for after {@link #stopConsuming}. */
    public CompletableFuture<Void> ended() {
        return runner == null ? CompletableFuture.completedFuture(null) : runner.ended();
    }

    /** What is still being handled ends nothing any more: it is handled again. */
    public void close() {
        if (runner != null) {
            runner.close();
        }
    }

    /**
     * Lets those go on that wait for a message of which a copy is thrown away. Nothing happens if none wait for it.
     *
     * @param copy in the poison queue
     * @throws RuntimeException the store does not answer
     */
    public void skip(WireMessage copy) {
        String type = copy.type();
        String id = copy.messageId();
        OrderKey own = OrderKey.of(copy);
        String key = own == null ? copy.correlationId() : own.value();
        if (runner == null || type == null || id == null || key == null || !runner.handles(type)) {
            return;
        }
        RecordKey lane = LaneDocument.key(key, type);
        long version = copy.headers().get(Headers.POISON_VERSION) instanceof Number number ? number.longValue() : 0;
        if (runner.skip(lane, id, version)) {
            wake(lane, node.timeline().now());
        }
    }

    /** Has the lane run when it is due. Never blocks. */
    public void wake(RecordKey lane, Instant due) {
        wake(Purpose.PROGRESS, lane, due);
    }

    private void wake(Purpose purpose, RecordKey lane, Instant due) {
        Duration wait = Duration.between(node.timeline().now(), due);
        var unused = node.timeline().schedule(purpose, wait.isNegative() ? Duration.ZERO : wait, () -> node.workers()
                .execute(() -> inLine(lane)));
    }

    private void inLine(RecordKey lane) {
        if (isOpen && runner != null) {
            runner.inLine(lane, this::run);
        }
    }

    private void run(RecordKey lane) {
        try {
            Instant next = isOpen ? Objects.requireNonNull(runner).run(lane) : null;
            if (next != null) {
                // what is kept may have to wait again and again, such as while its type is paused
                wake(Objects.requireNonNull(runner).keeps(lane) ? Purpose.UPKEEP : Purpose.PROGRESS, lane, next);
            }
        } catch (RuntimeException e) { // the sweep comes by
            node.log()
                    .fails(
                            FAILED,
                            lane.toString(),
                            () -> LOG.warn(
                                    "Running what waits in order failed; it is tried again [order_key={}]",
                                    lane.correlationId(),
                                    node.log().tellable(e)));
        }
    }

    /** Lets go on what waits for messages that are forgotten by now. */
    private void free() {
        try {
            LaneListing.each(node.requireStore(), LaneDocument.HELD, null, LaneListing.MOST, lane -> {
                if (Objects.requireNonNull(runner).free(lane)) {
                    wake(lane.key(), node.timeline().now());
                }
            });
        } catch (RuntimeException e) {
            failed("free", "Looking for what waits for a forgotten message failed", e);
        }
    }

    /** Whether the node handles messages in order; {@code null} before the start. */
    public @Nullable Boolean isOrdered() {
        return isOrdered;
    }

    /** What waits in order, as of the last answer of the store; {@code null} before the first. */
    public @Nullable Counted counted() {
        return counts == null ? null : counts.counted();
    }

    private void count() {
        Objects.requireNonNull(counts).refresh();
    }

    private void failed(String which, String what, RuntimeException e) {
        node.log()
                .fails(
                        FAILED,
                        which,
                        () -> LOG.warn(
                                what + "; the next round tries again",
                                node.log().tellable(e)));
    }

    /** Has what is due run, whoever has written it. */
    void sweep() {
        try {
            Instant now = node.timeline().now();
            LaneListing.each(
                    node.requireStore(), LaneDocument.DUE, now, LaneListing.MOST, lane -> wake(lane.key(), now));
        } catch (RuntimeException e) {
            failed("sweep", "Looking for what waits in order failed", e);
        }
    }
}
