// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of a message whose own record is part of the handler's transaction, which may roll back while what a step did stays
 * done. They are in a record beside it, written in transactions of their own.
 */
final class ApartSteps implements Steps {

    private static final Logger LOG = LoggerFactory.getLogger(ApartSteps.class);

    private static final int MOST_TRIES = 10;

    private final TransactionalMessageStore store;
    private final Timeline timeline;
    private final RecordKey key;
    private final String owner;
    private final Runnable requireClaim;
    private boolean loaded;
    private @Nullable MessageRecord record;

    /** @param requireClaim throws unless the transaction still holds the claim: only then nobody else stores steps of the message */
    ApartSteps(
            TransactionalMessageStore store,
            Timeline timeline,
            RecordKey message,
            String owner,
            Runnable requireClaim) {
        this.store = store;
        this.timeline = timeline;
        this.key = new RecordKey(message.correlationId(), message.messageId() + "~steps");
        this.owner = owner;
        this.requireClaim = requireClaim;
    }

    /** Reads them again before the next one. */
    void forget() {
        loaded = false;
    }

    @Override
    public @Nullable String find(String name) {
        requireClaim.run();
        if (!loaded) {
            record = store.apart(() -> store.find(key));
            loaded = true;
        }
        return record == null ? null : record.steps().get(name);
    }

    @Override
    public void store(String name, String json) {
        MessageRecord before = record;
        Map<String, String> steps = new HashMap<>(before == null ? Map.of() : before.steps());
        steps.put(name, json);
        record = surely(steps, () -> before == null ? create(steps) : store.replace(before.nextSteps(owner, steps)));
        if (record == null) {
            throw NotHandledException.later(
                    "Another delivery of message %s has stored steps".formatted(key.messageId()), Duration.ZERO);
        }
    }

    /**
     * Tries a few times, because the step has been run; after an answer that got lost, its repeat finds what it has written itself.
     *
     * @return {@code null} when somebody else wrote in between
     */
    private @Nullable MessageRecord surely(Map<String, String> steps, Supplier<@Nullable MessageRecord> write) {
        for (int tries = 1; ; tries++) {
            try {
                MessageRecord written = store.apart(write);
                MessageRecord stored = written != null ? written : store.apart(() -> store.find(key));
                return stored != null
                                && stored.owner().equals(owner)
                                && stored.steps().equals(steps)
                        ? stored
                        : null;
            } catch (StoreUnavailableException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
                LOG.warn("The store did not answer; writing steps of message {} again", key.messageId(), e);
            }
            NoAnswer.pause(timeline);
        }
    }

    /** In a final state from the beginning, so that it expires with the message's own record. */
    private MessageRecord create(Map<String, String> steps) {
        return store.create(new MessageRecord(
                key, RecordState.DISPATCHED, owner, 1, 0, 0, Duration.ZERO, 0, steps, List.of(), null));
    }
}
