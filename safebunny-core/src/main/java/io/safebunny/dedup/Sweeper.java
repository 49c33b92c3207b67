// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordState;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what was completed and not dispatched, for messages whose delivery never came back, and removes what is expired. Every
 * instance of a node does so; of two that find the same record one goes on. Thread-safe.
 */
final class Sweeper {

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private static final int PORTION = 100;
    private static final int REMOVED_AT_ONCE = 1_000;
    private static final int MOST_PORTIONS = 50;

    private final MessageStore store;
    private final Duration unchangedFor;
    private final Consumer<MessageRecord> dispatch;

    /**
     * @param unchangedFor younger records are left to those who completed them
     * @param dispatch sends the publications and sees to it that the record is marked
     */
    Sweeper(MessageStore store, Duration unchangedFor, Consumer<MessageRecord> dispatch) {
        this.store = store;
        this.unchangedFor = unchangedFor;
        this.dispatch = dispatch;
    }

    /** One round, on the calling thread. */
    void sweep() {
        try {
            dispatchCompleted();
            removeExpired();
        } catch (RuntimeException e) {
            LOG.warn("The store did not answer; sweeping again later", e);
        }
    }

    private void dispatchCompleted() {
        List<MessageRecord> found = store.findCompleted(unchangedFor, PORTION);
        for (MessageRecord record : found) {
            MessageRecord taken = store.replace(record.next(RecordState.COMPLETED)); // nobody else finds it for a while
            if (taken != null && !isSent(taken)) {
                return;
            }
        }
    }

    /** @return whether it is worth trying the next one: the trouble is not the broker's, which would cost a timeout each */
    private boolean isSent(MessageRecord record) {
        String messageId = record.key().messageId();
        LOG.info(
                "Sending the {} publications of message {}, completed some time ago",
                record.outgoing().size(),
                messageId);
        try {
            dispatch.accept(record);
            return true;
        } catch (PublishTimeoutException | ConnectionLostException e) {
            LOG.warn("Publications of message {} are not confirmed; this and others are sent later", messageId, e);
            return false;
        } catch (RuntimeException e) {
            LOG.warn("Publications of message {} are refused; they are sent again later", messageId, e);
            return true;
        }
    }

    private void removeExpired() {
        for (int portion = 0; portion < MOST_PORTIONS; portion++) {
            if (store.removeExpired(REMOVED_AT_ONCE) < REMOVED_AT_ONCE) {
                return;
            }
        }
    }
}
