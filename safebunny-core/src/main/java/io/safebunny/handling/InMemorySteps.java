// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Remembers steps for the in-memory retries of one delivery, for use without a store. */
final class InMemorySteps implements StepStore {

    private final Map<String, String> results = new HashMap<>();

    @Override
    public @Nullable String find(String name) {
        return results.get(name);
    }

    @Override
    public void store(String name, String json) {
        results.put(name, json);
    }
}
