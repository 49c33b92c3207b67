// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * How a broker differs from what a node needs. Of bindings nothing is known: AMQP does not tell of them.
 *
 * @param missing exchanges and queues that do not exist, with their types and arguments
 * @param different what exists with other properties: what the broker has, what is needed, and what to do
 * @param untold what exists, or nothing about it is told to this user, who may not compare it
 * @param same how many exchanges and queues are as planned
 */
public record TopologyDifference(List<String> missing, List<String> different, List<String> untold, int same) {

    public TopologyDifference {
        missing = List.copyOf(missing);
        different = List.copyOf(different);
        untold = List.copyOf(untold);
    }

    /** Whether everything exists, and nothing that may be compared differs. */
    public boolean isNone() {
        return missing.isEmpty() && different.isEmpty();
    }

    /** One line for each difference, and one with the numbers. */
    public String describe() {
        List<String> lines = new ArrayList<>();
        missing.forEach(what -> lines.add("+ " + what + " is missing"));
        different.forEach(what -> lines.add("! " + what));
        untold.forEach(what -> lines.add("? " + what + ": this user may not compare it"));
        lines.add("%s missing, %s different, %s not compared, %s as planned"
                .formatted(missing.size(), different.size(), untold.size(), same));
        return String.join(System.lineSeparator(), lines);
    }
}
