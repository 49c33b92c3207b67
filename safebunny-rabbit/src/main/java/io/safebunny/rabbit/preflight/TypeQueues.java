// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import io.safebunny.message.Names;
import io.safebunny.topology.Topology;
import java.util.regex.Pattern;

/**
 * Reads the names of the queues in which a node handles its types, of any version: {@code {node}-{Type}}, {@code {node}-{Type}.in} in order,
 * and {@code {node}-{Type}.3} of a shard. Pure.
 */
record TypeQueues(String node) {

    private static final String ORDERED = Topology.orderedOf("");

    /** As nodes write the numbers 0 to 255, or a little more. */
    private static final Pattern SHARD = Pattern.compile("\\.(0|[1-9][0-9]{0,2})$");

    /** The type of the queue; not the name of a type if it has another name than nodes give. */
    String typeOf(String queue) {
        String prefix = Names.address(node, "");
        String type = queue.startsWith(prefix) ? queue.substring(prefix.length()) : "";
        return type.endsWith(ORDERED)
                ? type.substring(0, type.length() - ORDERED.length())
                : SHARD.matcher(type).replaceFirst("");
    }

    /** Whether the queue has the name of one in which a type is handled. */
    boolean isOfType(String queue) {
        return Names.isType(typeOf(queue));
    }

    /** Whether the queue has the name of a shard, to which only the node itself sends. */
    boolean isShard(String queue) {
        return isOfType(queue) && SHARD.matcher(queue).find();
    }
}
