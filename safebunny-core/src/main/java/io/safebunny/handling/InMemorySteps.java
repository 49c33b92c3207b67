// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.MisuseException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Without a store: remembers steps for the in-memory retries of one delivery. A claim that nothing stores extends it. */
public class InMemorySteps implements HandlerStore {

    private final String messageId;
    /** Made for the first one: most handlers have no steps. */
    private Map<String, String> results = Map.of();

    public InMemorySteps(String messageId) {
        this.messageId = messageId;
    }

    @Override
    public @Nullable String find(String name) {
        return results.get(name);
    }

    @Override
    public void store(String name, String json) {
        if (results.isEmpty()) {
            results = new HashMap<>();
        }
        results.put(name, json);
    }

    @Override
    public @Nullable MessageRecord companion(RecordKey key) {
        throw new MisuseException(
                MisuseException.NOT_RUNNING,
                "Message %s has no companions: they are read while it is handled, and need a store. Ask within its handler, and set up a store."
                        .formatted(messageId));
    }
}
