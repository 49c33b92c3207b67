// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.draining;

import io.safebunny.concurrency.RecurringTask;
import io.safebunny.concurrency.SideBySide;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.node.Node;
import io.safebunny.node.NodeFeature;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.order.lane.LaneDocument;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline.Purpose;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
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
    private static final int AT_ONCE = 8;
    private static final int PORTION = 100;

    private final Node node;
    private final @Nullable LaneRunner runner;
    private final RecurringTask sweeps;
    private volatile boolean isOpen;

    public Lanes(Node node) {
        this.node = node;
        this.runner = node.store() == null ? null : new LaneRunner(node);
        this.sweeps = new RecurringTask(
                "sweeping lanes", node.options().lease().dividedBy(2), this::sweep, node.workers(), node.timeline());
    }

    /** To be called for each handler before anything is consumed. */
    public void add(HandlerDefinition handler, DeliveryHandler pipeline) {
        if (runner != null && handler.ordering().isOrdered()) {
            runner.handles(handler.type(), pipeline, handler.ordering() == Ordering.HOLD);
        }
    }

    @Override
    public void startConsuming(List<HandlerDefinition> handlers) {
        if (runner != null
                && handlers.stream().anyMatch(handler -> handler.ordering().isOrdered())) {
            isOpen = true;
            runner.start();
            sweeps.start();
        }
    }

    @Override
    public void stopConsuming() {
        if (isOpen && runner != null) {
            isOpen = false;
            runner.stop();
            sweeps.stop();
        }
    }

    /** Has the lane run when it is due. Never blocks. */
    public void wake(RecordKey lane, Instant due) {
        Duration wait = Duration.between(node.timeline().now(), due);
        var unused = node.timeline()
                .schedule(Purpose.UPKEEP, wait.isNegative() ? Duration.ZERO : wait, () -> node.workers()
                        .execute(() -> run(lane)));
    }

    private void run(RecordKey lane) {
        try {
            Instant next = isOpen ? Objects.requireNonNull(runner).run(lane) : null;
            if (next != null) {
                wake(lane, next);
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

    /** Runs what is due, whoever has written it. */
    void sweep() {
        MessageStore store = node.requireStore();
        try {
            List<MessageRecord> due = store.findListed(new ListingQuery(
                    LaneDocument.KIND, LaneDocument.DUE, null, node.timeline().now(), PORTION));
            new SideBySide(node.workers(), AT_ONCE, node.timeline()).forEach(due, lane -> run(lane.key()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            node.log()
                    .fails(
                            FAILED,
                            "sweep",
                            () -> LOG.warn(
                                    "Looking for what waits in order failed; the next round tries again",
                                    node.log().tellable(e)));
        }
    }
}
