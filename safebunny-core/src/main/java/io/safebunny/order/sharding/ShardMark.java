// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The message behind which a shard is drained: it waits for all that were delivered before it. Only SafeBunny sends
 * it, and nobody but the change whose token it has believes it.
 */
final class ShardMark {

    private static final String TYPE = "BunnyShardMark";

    private ShardMark() {}

    static OutboundMessage to(String shard, String node, String token) {
        WireMessage mark = new WireMessage(
                null, null, TYPE, node, null, "application/json", null, Map.of(Headers.MARK, token), new byte[0]);
        return new OutboundMessage(mark, new Route.ToQueue(shard), Duration.ZERO);
    }

    /** The token of a mark; {@code null} if the message is none. */
    static @Nullable String tokenOf(WireMessage message) {
        return TYPE.equals(message.type()) && message.headers().get(Headers.MARK) instanceof String token
                ? token
                : null;
    }
}
