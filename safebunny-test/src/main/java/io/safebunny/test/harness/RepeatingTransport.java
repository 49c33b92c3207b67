// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A transport that can send its last message again. Thread-safe, except {@link #keepLatest} and {@link #repeat}, which are for the test's
 * thread.
 */
public final class RepeatingTransport extends ForwardingTransport {

    /** The last message sent by any thread. */
    private record Attempt(OutboundMessage message, Deadline deadline) {}

    private volatile @Nullable Attempt sent;
    private @Nullable Attempt kept;

    public RepeatingTransport(Transport transport) {
        super(transport);
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        sent = new Attempt(message, deadline);
        return transport.send(message, deadline);
    }

    /** Remembers the last message for {@link #repeat}. */
    public void keepLatest() {
        kept = sent;
    }

    /** Sends the remembered message again, with the same id, if there is one. */
    public void repeat() {
        if (kept != null) {
            Object unused = transport.send(kept.message(), kept.deadline());
        }
    }
}
