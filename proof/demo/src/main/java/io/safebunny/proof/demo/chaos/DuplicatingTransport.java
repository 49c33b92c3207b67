// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.concurrent.CompletableFuture;

/** Sends one publication in twenty twice, like a publisher that lost its connection before the confirm. */
final class DuplicatingTransport extends ForwardingTransport {

    private static final double SHARE = 0.05;

    private final Chaos chaos;

    DuplicatingTransport(Transport transport, Chaos chaos) {
        super(transport);
        this.chaos = chaos;
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        String key = String.valueOf(message.message().messageId());
        if (message.route() instanceof Route.ToSubscribers && chaos.strikes("duplicate", key, SHARE)) {
            return CompletableFuture.allOf(transport.send(message, deadline), transport.send(message, deadline));
        }
        return transport.send(message, deadline);
    }
}
