// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import java.util.ArrayList;
import java.util.List;

/**
 * How a broker differs from what a node needs. Bindings are not compared, as AMQP offers no way to read them.
 *
 * @param missing exchanges and queues that do not exist, with their types and arguments
 * @param different what exists with other properties: the broker's values, the needed ones, and what to do
 * @param untold exchanges and queues that this user may not compare; they may be missing or different
 * @param same number of exchanges and queues that are as planned
 */
public record TopologyDifference(List<String> missing, List<String> different, List<String> untold, int same) {

    public TopologyDifference {
        missing = List.copyOf(missing);
        different = List.copyOf(different);
        untold = List.copyOf(untold);
    }

    /** Whether nothing is known to be missing or different. */
    public boolean isNone() {
        return missing.isEmpty() && different.isEmpty();
    }

    /** One line per difference, then a line with the counts. */
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
