// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.proof.store.WorkTable;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Publishes outside handlers: places each order in one transaction of the application, together with rows of its own.
 * Thread-safe.
 */
public final class Clerk {

    private static final Logger LOG = LoggerFactory.getLogger(Clerk.class);

    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int MOST_ATTEMPTS = 200;

    private final Bunny bunny;
    private final TransactionOperations transactions;
    private final WorkTable work;
    private final Timeline timeline;

    public Clerk(Bunny bunny, TransactionOperations transactions, WorkTable work, Timeline timeline) {
        this.bunny = bunny;
        this.transactions = transactions;
        this.work = work;
        this.timeline = timeline;
    }

    /** Retries until the database answers. */
    public void place(Order order) throws InterruptedException {
        int attempts = 1;
        while (!isPlaced(order)) {
            if (attempts == MOST_ATTEMPTS) {
                throw new IllegalStateException("Could not place order " + order.id());
            }
            attempts++;
            timeline.sleep(PAUSE);
        }
    }

    private boolean isPlaced(Order order) {
        try {
            transactions.executeWithoutResult(status -> {
                if (work.runs(order.parts().get(0)).isEmpty()) { // otherwise only the answer to the commit was lost
                    write(order);
                }
                if (order.kind() == OrderKind.ROLLED_BACK) {
                    status.setRollbackOnly();
                }
            });
            return true;
        } catch (RuntimeException e) {
            LOG.info("Order {} is not placed: {}", order.id(), e.toString());
            return false;
        }
    }

    private void write(Order order) {
        String run = UUID.randomUUID().toString();
        for (String part : order.parts()) {
            work.add(part, run);
            PublishOptions options = PublishOptions.none().withCorrelationId(part);
            bunny.publish(new Placed(part, run, Placed.FIRST), options);
            bunny.publish(new Placed(part, run, Placed.SECOND), options);
        }
    }
}
