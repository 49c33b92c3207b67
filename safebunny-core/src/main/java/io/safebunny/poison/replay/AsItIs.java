// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.replay.PoisonReader.Copy;
import io.safebunny.topology.Topology;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Moves each copy, with the headers that a replay of it needs and all others, between the poison queue and its archive. */
record AsItIs(Route to, Predicate<PoisonedMessage> which) implements CopyRule {

    /** To the archive, but for those of which it cannot be told what becomes of their message. */
    static AsItIs discarded(String node) {
        return new AsItIs(new Route.ToQueue(Topology.archiveOf(node)), copy -> copy.verdict()
                .isDiscarded());
    }

    /** Back from there. */
    static AsItIs restored(String node) {
        return new AsItIs(new Route.Poison(node), copy -> true);
    }

    @Override
    public @Nullable OutboundMessage of(Copy copy) {
        return which.test(copy.shown()) ? new OutboundMessage(unchanged(copy.wire()), to, Duration.ZERO) : null;
    }

    /** Without what a sender may have written for the broker to do, and what it counts for one queue. */
    private static WireMessage unchanged(WireMessage wire) {
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        headers.keySet().removeIf(Headers::isOfOneRouting);
        return wire.withHeaders(headers);
    }
}
