// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.concurrency.ReentrantTurns;
import io.safebunny.concurrency.SerialTask;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog;
import io.safebunny.time.Timeline;
import io.safebunny.time.Timeline.Purpose;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps this instance's pauses in step with the store, which it reads at the start, every few seconds, and soon after a hint. A flood of
 * hints causes at most ten reads per second. Thread-safe.
 */
final class SharedPauses {

    private static final Logger LOG = LoggerFactory.getLogger(SharedPauses.class);

    static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration BETWEEN_HINTS = Duration.ofMillis(100);

    /** Maximum number of operations that other instances wait for. Any beyond it are probably forged, and get no answer. */
    private static final int MOST_ASKED = 100;

    private final String node;
    private final StoredOrders stored;
    private final Pauses pauses;
    private final Consumer<String> answer;
    private final Timeline timeline;
    private final SerialTask reads;
    private final BoundedLog log;
    /** Held during each call of the store, so that an old read is never applied after a newer write. */
    private final ReentrantTurns turns;

    private final Set<String> asked = new LinkedHashSet<>(); // guarded by itself
    private volatile long readAt;
    private volatile boolean answers = true;

    /** @param answer called for each operation that another instance waits for, after the store has been read */
    SharedPauses(Node node, Pauses pauses, Consumer<String> answer) {
        this.log = node.log();
        this.node = node.name();
        this.timeline = node.timeline();
        this.stored = new StoredOrders(node.requireStore(), timeline, JsonMapper.shared());
        this.pauses = pauses;
        this.answer = answer;
        this.turns = new ReentrantTurns(timeline);
        this.reads = new SerialTask("reading which types are paused", this::readAndAnswer, node.workers(), timeline);
    }

    /** Reads the store before it returns. */
    void start() {
        readAndAnswer();
    }

    void stop() {
        reads.stop();
    }

    /** Reads the store for an operation soon, then reports it to {@link #answer}. Does not block. */
    void readFor(String operation) {
        synchronized (asked) {
            if (asked.size() >= MOST_ASKED || !asked.add(operation)) {
                return;
            }
        }
        Duration since = Duration.ofNanos(timeline.nanoTime() - readAt);
        reads.requestAfter(since.compareTo(BETWEEN_HINTS) < 0 ? BETWEEN_HINTS.minus(since) : Duration.ZERO);
    }

    /**
     * @return whether the order was stored, and carried out on this instance
     * @throws RuntimeException if the store does not answer; an order that was stored nevertheless is read later
     */
    boolean write(PauseOrder order) {
        turns.lock();
        try {
            StoredOrders.Board written = stored.write(order);
            if (written != null) {
                pauses.apply(written);
                pauses.begin(order);
            }
            return written != null;
        } finally {
            turns.unlock();
        }
    }

    private void readAndAnswer() {
        readAt = timeline.nanoTime();
        List<String> waiting;
        synchronized (asked) {
            waiting = List.copyOf(asked);
            asked.clear();
        }
        try {
            read();
        } finally {
            reads.requestAfter(answers ? INTERVAL : AFTER_FAILURE, Purpose.UPKEEP);
        }
        waiting.forEach(answer);
    }

    private void read() {
        turns.lock();
        try {
            pauses.apply(stored.read());
            answers = true;
        } catch (RuntimeException e) {
            if (answers) {
                LOG.warn(
                        "Cannot read from the store which types of node {} are paused; paused types stay paused. Retrying every second",
                        node,
                        log.tellable(e));
            }
            answers = false;
        } finally {
            turns.unlock();
        }
    }
}
