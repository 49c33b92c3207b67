// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.transaction;

import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.handling.Handling;
import io.safebunny.store.BrokenTransactionException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.TransactionalMessageStore.Permit;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open transaction in which first deliveries of several messages are claimed. Confined to one thread.
 *
 * @param records the claims, by message, as they were written; at least one
 */
record ClaimedTogether(
        TransactionalMessageStore store,
        Permit permit,
        LocalTransaction transaction,
        Map<Handling, MessageRecord> records) {

    private static final Logger LOG = LoggerFactory.getLogger(ClaimedTogether.class);

    private static final Comparator<MessageRecord> BY_KEY = Comparator.comparing(
                    (MessageRecord record) -> record.key().correlationId())
            .thenComparing(record -> record.key().messageId());

    /** {@code null} if that fails, or none of them can be claimed: handled on its own, each finds out why. */
    static @Nullable ClaimedTogether begin(
            TransactionalMessageStore store, Ownership ownership, List<Handling> messages) {
        Permit permit;
        try {
            permit = store.awaitPermit();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        LocalTransaction transaction = null;
        ClaimedTogether begun = null;
        try {
            transaction = store.begin();
            Map<Handling, MessageRecord> claims = claim(store, ownership, messages);
            if (!claims.isEmpty()) {
                begun = new ClaimedTogether(store, permit, transaction, claims);
            }
        } catch (RuntimeException e) {
            LOG.debug("{} messages could not be claimed together", messages.size(), e);
        } finally {
            if (begun == null) {
                end(transaction, permit);
            }
        }
        return begun;
    }

    private static Map<Handling, MessageRecord> claim(
            TransactionalMessageStore store, Ownership ownership, List<Handling> messages) {
        Map<RecordKey, Handling> handlings = new LinkedHashMap<>();
        messages.forEach(message -> handlings.put(message.key(), message));
        Map<Handling, MessageRecord> claims = new LinkedHashMap<>();
        // in one order everywhere: two instances that claim the same messages in different orders would wait for each
        // other
        store.createAll(messages.stream().map(ownership::first).sorted(BY_KEY).toList())
                .forEach(claim -> claims.put(Objects.requireNonNull(handlings.get(claim.key())), claim));
        return claims;
    }

    private static void end(@Nullable LocalTransaction transaction, Permit permit) {
        try {
            if (transaction != null) {
                transaction.rollback();
            }
        } finally {
            permit.close();
        }
    }

    /** Rolls back what is not committed, and gives back the permit. */
    void end() {
        end(transaction, permit);
    }

    /**
     * Releases a claim in the transaction, or completes it.
     *
     * @throws BrokenTransactionException the claim is gone from its transaction
     */
    MessageRecord write(MessageRecord next) {
        MessageRecord written = store.replace(next);
        if (written == null) {
            throw unusable("has lost the claim of message " + next.key().messageId());
        }
        return written;
    }

    static BrokenTransactionException unusable(String what) {
        return new BrokenTransactionException(
                "A transaction that messages share %s: did a handler commit it, roll it back, or go on after a failed statement? Let the exception out, or use a savepoint."
                        .formatted(what),
                null);
    }

    /**
     * After the rollback. If a handler has committed the transaction itself, messages that have not been handled would count as handled.
     */
    void undoCommitted(DedupLog log, Map<Handling, ?> handled) {
        try {
            for (Map.Entry<Handling, MessageRecord> each : records.entrySet()) {
                MessageRecord claim = each.getValue();
                if (!handled.containsKey(each.getKey())) {
                    MessageRecord stored = store.find(claim.key());
                    if (stored == null) {
                        return; // nor is any other: they were written by one statement, or one transaction
                    }
                    if (stored.isSameWriteAs(claim)) { // others may have been written again before the commit
                        MessageRecord unused = store.replace(claim.next(RecordState.RELEASED));
                    }
                }
            }
        } catch (RuntimeException e) {
            log.noAnswer(
                    records.keySet().iterator().next().message().id(), "could not look what a rollback has left", e);
        }
    }
}
