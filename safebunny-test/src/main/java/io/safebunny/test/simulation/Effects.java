// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The effects of handlers on an external system, such as a bank or a warehouse, which survives the processes. Confined to the run.
 *
 * <p>Calls may be repeated, because a process may end before it has stored that it made one. Real systems therefore accept an idempotency
 * key, and so does this one.
 */
public final class Effects {

    private final Map<String, Set<String>> keys = new LinkedHashMap<>();
    private int unkeyed;

    Effects() {}

    /** Carries out the effect once per key. */
    void perform(String effect, String key) {
        boolean unused =
                keys.computeIfAbsent(effect, name -> new LinkedHashSet<>()).add(key);
    }

    /** Carries out the effect each time. */
    void perform(String effect) {
        perform(effect, "#" + ++unkeyed);
    }

    /** How often the effect was carried out. */
    public int count(String effect) {
        return keys.getOrDefault(effect, Set.of()).size();
    }

    /** All effects with their counts, in the order of first occurrence. */
    public Map<String, Integer> all() {
        Map<String, Integer> all = new LinkedHashMap<>();
        keys.forEach((effect, performed) -> all.put(effect, performed.size()));
        return all;
    }
}
