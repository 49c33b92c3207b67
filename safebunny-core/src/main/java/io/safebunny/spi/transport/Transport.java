// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.transport;

import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import java.util.concurrent.CompletableFuture;

/**
 * SPI of a broker. Thread-safe. Every transport passes {@code TransportContract} of {@code safebunny-test}.
 *
 * <p>Promises: a message whose {@link #send} completed normally is in at least one queue (all its bound ones) and survives
 * what the broker survives; a delivery that was not settled comes back; a message sent with a delay is never early.
 */
public interface Transport extends AutoCloseable {

    /**
     * Connects and applies the topology. Returns also when the broker cannot be reached, and goes on trying.
     *
     * @throws io.safebunny.failure.ConfigurationException when trying again cannot help: wrong credentials, a clash with
     *     what exists on the broker
     */
    void start(Topology topology);

    /**
     * Consumes a queue of the topology until {@link Consumption#stop()}, across reconnects.
     *
     * @param prefetch deliveries handled at once
     * @throws io.safebunny.failure.ConfigurationException when the queue may not be read
     */
    Consumption consume(String queue, int prefetch, DeliveryHandler handler);

    /**
     * Sends and completes when the broker has taken responsibility, or exceptionally with one of the four
     * {@link io.safebunny.failure.PublishException}s. The future may be completed on an I/O thread: do not block in it.
     *
     * @param deadline of the whole publication, of which this may be one try of several, and of which a part may be over: a
     *     transport that waits for anything, here or later, waits no longer; it may take up to a second more to end
     */
    CompletableFuture<Void> send(OutboundMessage message, Deadline deadline);

    TransportStatus status();

    /** Ends connections. What is being handled is cut off and comes back later. */
    @Override
    void close();
}
