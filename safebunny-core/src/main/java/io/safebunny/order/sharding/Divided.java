// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.handler.Sharding;
import io.safebunny.message.Names;
import io.safebunny.topology.Topology;

/**
 * A type whose messages this node divides into shards.
 *
 * @param queue from which they are forwarded
 * @param sharding as this instance has it
 * @param most how many shards may have messages: more than it has, if an earlier version had more
 */
record Divided(String node, String type, String queue, Sharding sharding, int most, SharedDivision shared) {

    /** Name of the queue of a shard. */
    String shard(int number) {
        return Topology.shardOf(Names.address(node, type), number);
    }

    /** Whether this instance handles the messages of a shard. All do of those that are no longer forwarded to. */
    boolean listensTo(int number) {
        return number >= sharding.count() || sharding.listened().contains(number);
    }
}
