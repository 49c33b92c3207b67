// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Without a store: steps are remembered for the in-memory retries of this delivery. */
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
