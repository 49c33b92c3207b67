// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Ids of messages whose delivery was cut off while this process went on. The broker counts such a delivery as failed, but the
 * message did not end the process. The oldest are forgotten. Thread-safe.
 */
final class Survivors {

    private static final int MOST = 10_000;

    private final Map<String, Boolean> ids = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MOST;
        }
    };

    synchronized void add(String id) {
        ids.put(id, true);
    }

    synchronized boolean contains(String id) {
        return ids.containsKey(id);
    }

    /** What is known of it does not hold for its copy. */
    synchronized void remove(String id) {
        ids.remove(id);
    }
}
