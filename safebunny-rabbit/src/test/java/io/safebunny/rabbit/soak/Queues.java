// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import io.safebunny.topology.TopologyOptions;
import java.util.Map;

/** Sorts the lengths of queues into messages that were set aside and those still on their way. */
final class Queues {

    private Queues() {}

    static int poisoned(Map<String, Integer> messages) {
        return sum(messages, true);
    }

    static int left(Map<String, Integer> messages) {
        return sum(messages, false);
    }

    private static int sum(Map<String, Integer> messages, boolean setAside) {
        return messages.entrySet().stream()
                .filter(entry -> isSetAside(entry.getKey()) == setAside)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    private static boolean isSetAside(String queue) {
        return queue.endsWith("-poison")
                || queue.endsWith("-dead-letters")
                || queue.equals(TopologyOptions.defaults().unrouted());
    }
}
