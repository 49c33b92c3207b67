// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.failure.BrowsingException;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * SPI of a broker. Implementations must be thread-safe, and should pass {@code TransportContract} of {@code safebunny-test}.
 *
 * <p>Promises: a message whose {@link #send} completed normally is in all queues bound for it, at least one, and survives
 * whatever the broker survives; an unsettled delivery comes back; a delayed message is never early.
 */
public interface Transport extends AutoCloseable {

    /**
     * Connects and applies the topology. If the broker cannot be reached, returns anyway and keeps trying.
     *
     * @throws io.safebunny.failure.ConfigurationException when retrying cannot help: wrong credentials, or a conflict with
     *     something on the broker
     */
    void start(Topology topology);

    /**
     * Consumes a queue of the topology until {@link Consumption#stop()}, across reconnects.
     *
     * @param prefetch maximum number of deliveries handled at once
     * @throws io.safebunny.failure.ConfigurationException when the queue may not be read
     */
    Consumption consume(String queue, int prefetch, DeliveryHandler handler);

    /**
     * Like {@link #consume}, but at the pace {@link Pace#PAUSED} from the beginning: nothing is delivered until {@link Consumption#pace}
     * says so. The default consumes and then pauses, so that what arrives in between is handed to the handler or goes back: override it.
     */
    default Consumption consumePaused(String queue, int prefetch, DeliveryHandler handler) {
        Consumption consumption = consume(queue, prefetch, handler);
        consumption.pace(Pace.PAUSED);
        return consumption;
    }

    /**
     * Sends; completes when the broker has taken responsibility, or exceptionally with one of the four {@link
     * io.safebunny.failure.PublishException}s. The future may be completed on an I/O thread: do not block in it.
     *
     * @param deadline for the whole publication, of which this may be one try of several. A transport that waits for anything,
     *     here or later, must wait no longer than that; it may take up to a second more to end
     */
    CompletableFuture<Void> send(OutboundMessage message, Deadline deadline);

    /**
     * Joins the instances of a node; called once, after {@link #start}, and again by itself after each reconnect. A broker that
     * refuses is no failure: {@link ControlChannel#problem} tells. By default there is no such channel.
     *
     * @param heard gets what any instance tells, this one included; called by one thread at a time or several, and must not block
     *     for long
     */
    default ControlChannel control(String node, Consumer<byte[]> heard) {
        return ControlChannel.none();
    }

    /**
     * Takes messages from a queue to look at them, without consuming it.
     *
     * @throws BrowsingException SB-5015 when there is no connection; SB-5018 when there is no such queue, no permission to read it, or this
     *     transport cannot do that
     */
    default BrowsedQueue browse(String queue) {
        throw BrowsingException.denied(
                queue,
                "%s does not offer it. Implement Transport.browse."
                        .formatted(getClass().getName()),
                null);
    }

    TransportStatus status();

    /**
     * How many messages wait in a queue, as the broker says now; empty from a transport that cannot tell. May block while the broker answers.
     *
     * @throws BrowsingException SB-5015 while the broker is away; SB-5018 when there is no such queue, or this user may
     *     not ask
     */
    default OptionalLong depth(String queue) {
        return OptionalLong.empty();
    }

    /** Closes the connections. Messages being handled are cut off and come back later. */
    @Override
    void close();
}
