// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What handlers did to an external system, such as a bank or a warehouse. It survives the processes. Confined to the run. * <p>Calls may be
 * repeated, because a process may end before it has stored that it made one. Real systems therefore accept an idempotency key, and so does
 * this one.
 */
public final class Effects {

    private final Map<String, Set<String>> keys = new LinkedHashMap<>();
    private int unkeyed;

    Effects() {}

    /** Carries it out once per key. */
    void perform(String effect, String key) {
        boolean unused =
                keys.computeIfAbsent(effect, name -> new LinkedHashSet<>()).add(key);
    }

    /** Carries it out each time. */
    void perform(String effect) {
        perform(effect, "#" + ++unkeyed);
    }

    /** How often it was done. */
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
