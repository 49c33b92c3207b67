// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling.publications;

import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The publications of a handling so far, and the ordinals that go into their ids. Thread-safe. Most handlings publish little or
 * nothing, so nothing is allocated before the first publication.
 *
 * <p>The ordinal of a publication whose transaction was rolled back is not given to another one: two different messages must not get
 * one id.
 */
public final class Publications {

    private static final Mark NOTHING = new Mark(0, Map.of());

    private final HandledTransactions transactions;
    private List<Collected> collected = List.of();
    private Map<String, Integer> ordinals = Map.of();

    /** The state at some point, to return to. */
    public record Mark(int size, Map<String, Integer> ordinals) {}

    public Publications(HandledTransactions transactions) {
        this.transactions = transactions;
    }

    /** As part of the transaction that is open on this thread, if any. */
    public void add(OutboundMessage publication) {
        Collected added = new Collected(publication, transactions.current());
        transactions.onRollback(() -> added.drop(null));
        add(added);
    }

    private synchronized void add(Collected added) {
        if (collected.isEmpty()) {
            collected = new ArrayList<>(4);
        }
        collected.add(added);
    }

    /** 1 for the first publication of this type. */
    public synchronized int nextOrdinal(String type) {
        if (ordinals.isEmpty()) {
            ordinals = new HashMap<>(4);
        }
        return ordinals.merge(type, 1, Integer::sum);
    }

    /** Those whose transactions were not rolled back, in the order of publishing. */
    public synchronized List<OutboundMessage> all() {
        if (collected.isEmpty()) {
            return List.of();
        }
        return collected.stream()
                .filter(each -> !each.isDropped())
                .map(Collected::message)
                .toList();
    }

    /** Tells of those of which nobody has been told yet. */
    public synchronized void ended(PublishOutcome outcome, @Nullable Throwable failure) {
        for (Collected each : collected) {
            each.message().ended(outcome, failure);
        }
    }

    /** @throws UndecidedTransactionException it is not known whether the transaction of one of them is committed */
    public synchronized void requireDecided(String messageId) {
        for (Collected each : collected) {
            if (each.isUndecided()) {
                throw new UndecidedTransactionException(messageId, each.message());
            }
        }
    }

    public synchronized Mark mark() {
        return collected.isEmpty() && ordinals.isEmpty() ? NOTHING : new Mark(collected.size(), Map.copyOf(ordinals));
    }

    public synchronized void clear() {
        returnTo(NOTHING, null);
    }

    /**
     * Discards later publications, because of this failure if there was one, and resets the ordinals, so that the same code publishes the same ids.
     */
    public synchronized void returnTo(Mark mark, @Nullable Throwable why) {
        if (collected.size() > mark.size) {
            List<Collected> later = collected.subList(mark.size, collected.size());
            later.forEach(each -> each.drop(why));
            later.clear();
        }
        if (!ordinals.isEmpty()) {
            ordinals.clear();
            ordinals.putAll(mark.ordinals);
        }
    }
}
