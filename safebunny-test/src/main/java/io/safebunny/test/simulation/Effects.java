// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What handlers did to another system: a bank, a warehouse. It survives the processes. Confined to the run.
 *
 * <p>A call can be repeated, because a process may end before it has stored what it did; so a system to which that matters takes an
 * idempotency key, and so does this one.
 */
public final class Effects {

    private final Map<String, Set<String>> keys = new LinkedHashMap<>();
    private int unkeyed;

    Effects() {}

    /** Does it once for each key. */
    void perform(String effect, String key) {
        boolean unused =
                keys.computeIfAbsent(effect, name -> new LinkedHashSet<>()).add(key);
    }

    /** Does it each time. */
    void perform(String effect) {
        perform(effect, "#" + ++unkeyed);
    }

    /** How often it was done. */
    public int count(String effect) {
        return keys.getOrDefault(effect, Set.of()).size();
    }

    /** Everything that was done, with how often, in the order in which each was done first. */
    public Map<String, Integer> all() {
        Map<String, Integer> all = new LinkedHashMap<>();
        keys.forEach((effect, performed) -> all.put(effect, performed.size()));
        return all;
    }
}
