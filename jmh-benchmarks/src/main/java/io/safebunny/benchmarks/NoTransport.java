// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks;

import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import io.safebunny.transport.TransportStatus;
import java.util.concurrent.CompletableFuture;

/** Confirms everything at once, so that only SafeBunny is measured. */
final class NoTransport implements Transport {

    @Override
    public void start(Topology topology) {}

    @Override
    public Consumption consume(String queue, int prefetch, DeliveryHandler handler) {
        return new Consumption() {
            @Override
            public void pace(Pace pace) {}

            @Override
            public CompletableFuture<Void> stop() {
                return CompletableFuture.completedFuture(null);
            }
        };
    }

    @Override
    public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public TransportStatus status() {
        return new TransportStatus(true, "measuring");
    }

    @Override
    public void close() {}
}
