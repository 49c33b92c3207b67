// SPDX-License-Identifier: Apache-2.0
package io.safebunny.topology;

import io.safebunny.message.Names;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A message type that a node consumes, and the nodes whose publications of it its queue receives.
 *
 * @param isOrdered whether its queue is consumed in order
 * @param shards into how many queues the node divides what it takes from its queue; 0 for not divided
 */
public record Subscription(String type, List<String> from, boolean isOrdered, int shards) {

    public Subscription {
        from = List.copyOf(from);
    }

    /** Of messages that are not divided. */
    public Subscription(String type, List<String> from, boolean isOrdered) {
        this(type, from, isOrdered, 0);
    }

    /** Of a queue that is not consumed in order. */
    public Subscription(String type, List<String> from) {
        this(type, from, false);
    }

    /** The queue of the node in which its messages wait. */
    public String queue(String node) {
        String address = Names.address(node, type);
        return isOrdered ? Topology.orderedOf(address) : address;
    }

    /** The queues of the node into which it divides what it takes from its queue, by number; none if it does not. */
    public List<String> shardQueues(String node) {
        String address = Names.address(node, type);
        return IntStream.range(0, shards)
                .mapToObj(shard -> Topology.shardOf(address, shard))
                .toList();
    }

    /** The same subscription, divided among this many queues. */
    public Subscription divided(int shards) {
        return new Subscription(type, from, isOrdered, shards);
    }
}
