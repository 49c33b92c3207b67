// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.NotHandledException;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.TransactionalMessageStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Steps of a message whose own record is part of the handler's transaction, which may roll back while what a step did stays
 * done. They are in a record beside it, written in transactions of their own.
 */
final class ApartSteps implements Steps {

    private final TransactionalMessageStore store;
    private final RecordKey key;
    private final String owner;
    private boolean loaded;
    private @Nullable MessageRecord record;

    ApartSteps(TransactionalMessageStore store, RecordKey message, String owner) {
        this.store = store;
        this.key = new RecordKey(message.correlationId(), message.messageId() + "~steps");
        this.owner = owner;
    }

    @Override
    public @Nullable String find(String name) {
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
        try {
            record = store.apart(() -> before == null ? create(steps) : store.replace(before.nextSteps(owner, steps)));
        } catch (RecordTooLargeException e) {
            throw new InvalidMessageException(PoisonReason.TOO_LARGE, e.messageWithoutCode(), e);
        }
        if (record == null || !record.owner().equals(owner)) {
            throw NotHandledException.later(
                    "Another delivery of message %s has stored steps".formatted(key.messageId()), Duration.ZERO);
        }
    }

    /** In a final state from the beginning, so that it expires with the message's own record. */
    private MessageRecord create(Map<String, String> steps) {
        return store.create(new MessageRecord(
                key, RecordState.DISPATCHED, owner, 1, 0, 0, Duration.ZERO, 0, steps, List.of(), null));
    }
}
