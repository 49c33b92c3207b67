// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the bytes of delivered messages that all queues of a transport hold at once, as far as that can be done: the broker
 * counts messages, not bytes. A queue whose messages would not fit as often as its prefetch says gets one at a time, until
 * they do; it always gets one, however large and whatever the others hold, so nothing here ever blocks. What the
 * broker sent before the first large message was seen still arrives. Thread-safe, calls nobody.
 */
final class InboundBudget {

    private static final Logger LOG = LoggerFactory.getLogger(InboundBudget.class);

    private final BoundedLog log;
    private final long limit;
    /** Of all shares; guarded by this. */
    private long claimed;

    /** @param limit in bytes */
    InboundBudget(long limit, BoundedLog log) {
        this.limit = limit;
        this.log = log;
    }

    /** Of one queue that takes up to {@code prefetch} messages at once. */
    Share share(String queue, int prefetch) {
        return new Share(queue, prefetch);
    }

    /** What one queue holds, and may hold. */
    final class Share {

        private final String queue;
        private final int prefetch;
        // guarded by the budget
        private long held;
        private long claim;
        /** The largest of the latest messages, fading by an eighth per message. */
        private long large;

        private boolean full = true;
        private boolean left;

        private Share(String queue, int prefetch) {
            this.queue = queue;
            this.prefetch = prefetch;
        }

        void took(int bytes) {
            synchronized (InboundBudget.this) {
                held += bytes;
                large = Math.max(bytes, large - large / 8);
                claim();
            }
        }

        /** Handled, or no longer ours. */
        void gave(int bytes) {
            synchronized (InboundBudget.this) {
                held -= bytes;
                claim();
            }
        }

        /** Whether the queue may have its prefetch. Else one at a time. */
        boolean isFull() {
            boolean was;
            boolean is;
            synchronized (InboundBudget.this) {
                was = full;
                long others = claimed - claim;
                // once slowed down it needs some extra room to speed up again, or it would keep switching
                full = others + whenFull() <= (was ? limit : limit - limit / 4);
                is = full;
                claim();
            }
            if (was && !is) {
                log.tell(
                        Kind.info(LOG, "Queue '%s' takes one message at a time".formatted(queue)),
                        queue,
                        () -> LOG.info(
                                "Queue '{}' takes one message at a time: {} of its size would be too much for the {} MiB set aside for what is being handled",
                                queue,
                                prefetch,
                                limit >> 20));
            }
            return is;
        }

        private long whenFull() {
            return Math.max(held, large * prefetch);
        }

        /** Counts what it holds, and what it must be expected to get; a queue that is idle takes nothing from the others. */
        private void claim() {
            long before = claim;
            claim = left || held == 0 ? held : full ? whenFull() : Math.max(held, large);
            claimed += claim - before;
        }

        /** Gets nothing more. */
        void leave() {
            synchronized (InboundBudget.this) {
                left = true;
                claim();
            }
        }
    }
}
