// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.bodies;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.util.concurrent.CompletableFuture;

/** Sends nothing, and never says so. */
final class SilentTransport extends ForwardingTransport {

    SilentTransport(Transport transport) {
        super(transport);
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return new CompletableFuture<>();
    }
}
