// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.MisuseException;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * SPI of a broker. Implementations must be thread-safe, and should pass {@code TransportContract} of {@code safebunny-test}.
 *
 * <p>Guarantees: a message whose {@link #send} completed normally is in all queues bound for it, at least one, and survives
 * whatever the broker survives; an unsettled delivery comes back; a delayed message is never early.
 */
public interface Transport extends AutoCloseable {

    /**
     * Connects and applies the topology. If the broker cannot be reached, returns anyway and keeps trying.
     *
     * @throws io.safebunny.failure.ConfigurationException if retrying cannot help: wrong credentials, or a conflict with what
     *     exists on the broker; SB-1205 if one of the {@linkplain Topology#rivals rivals} exists, of which nothing is declared then
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
     * Like {@link #consume}, but starts with {@link Pace#PAUSED}: nothing is delivered until {@link Consumption#pace} changes
     * that. The default consumes and then pauses, so deliveries may arrive in between; override it.
     */
    default Consumption consumePaused(String queue, int prefetch, DeliveryHandler handler) {
        Consumption consumption = consume(queue, prefetch, handler);
        consumption.pace(Pace.PAUSED);
        return consumption;
    }

    /**
     * Like {@link #consume}, but in order: of the deliveries with one {@link io.safebunny.message.OrderKey}, the next one is passed to
     * the handler when the one before is acknowledged or rejected and the handler has returned. Those with other keys do not wait for it,
     * until it and those that wait behind it take all places of the prefetch. A message without a readable key waits for nothing, unless it
     * {@linkplain io.safebunny.message.OrderKey#waitsForAll waits for all}: then it waits in the same way for all that were delivered
     * before it to this consumption, also for those that are {@linkplain Delivery#keep kept}; those behind it do not wait for it.
     *
     * <p>While the first delivery of a key is kept, those behind it that {@linkplain io.safebunny.message.OrderKey#passesKept may pass it},
     * and no others, begin before it, in their order. Still one of a key is handled at a time: the kept one goes on when that one has ended.
     *
     * <p>Of all consumptions of the queue, in whatever instance, one at a time receives deliveries. The next one takes over when it is
     * paused, stopped or lost, and begins with the first message that is not settled. Pausing and stopping let handlers return first; what
     * they leave unsettled, and what is waiting or {@linkplain Delivery#keep kept}, goes back to its place in the queue. The
     * broker's count of deliveries is not passed on, because it counts that, too. Deliveries are never handled together.
     *
     * @param queue one that {@linkplain Topology.Queue#hasSingleActiveConsumer has a single active consumer}, or a {@linkplain
     *     Topology#isShard shard} of such a queue, which an instance of another version may have declared
     * @param prefetch maximum number of deliveries taken, whether they are being handled or waiting
     * @param pace to begin with
     * @throws MisuseException SB-5001 if the queue is not such a queue; SB-5006 if this transport does not support it
     * @throws io.safebunny.failure.ConfigurationException when the queue may not be read
     */
    default Consumption consumeOrdered(String queue, int prefetch, Pace pace, DeliveryHandler handler) {
        throw new MisuseException(
                MisuseException.BROKEN_RULE,
                "Queue %s cannot be consumed in order: %s does not support it. Implement Transport.consumeOrdered."
                        .formatted(queue, getClass().getName()));
    }

    /**
     * Sends a message. The future completes when the broker has confirmed it, or exceptionally with a {@link
     * io.safebunny.failure.PublishException}. It may complete on an I/O thread: do not block in its callbacks.
     *
     * @param deadline for the whole publication, of which this call may be one of several attempts. A transport must not wait for
     *     anything beyond it, and must complete the future within a second after it
     */
    CompletableFuture<Void> send(OutboundMessage message, Deadline deadline);

    /**
     * Connects this instance with the others. Called once, after {@link #start}; the transport reconnects by itself. If the broker
     * refuses, nothing is thrown: see {@link ControlChannel#problem}. By default there is no such channel.
     *
     * @param listeners by address: each receives what any instance, including this one, sends to that address, and nothing else. May be
     *     called by several threads at once, and must not block for long
     */
    default ControlChannel control(Map<ControlAddress, Consumer<byte[]>> listeners) {
        return ControlChannel.none();
    }

    /**
     * Browses a queue without consuming it.
     *
     * @throws BrowsingException SB-5015 if there is no connection; SB-5018 if there is no such queue or no permission to read it,
     *     or this transport does not support it
     */
    default BrowsedQueue browse(String queue) {
        throw BrowsingException.denied(
                queue,
                "%s does not support it. Implement Transport.browse."
                        .formatted(getClass().getName()),
                null);
    }

    TransportStatus status();

    /**
     * Number of messages waiting in a queue, as the broker reports it now; empty if the transport does not support it. May block
     * until the broker answers.
     *
     * @throws BrowsingException SB-5015 if the broker is unreachable; SB-5018 if there is no such queue, or no permission
     */
    default OptionalLong depth(String queue) {
        return OptionalLong.empty();
    }

    /**
     * Number of consumers of a queue, of all instances, as the broker reports it now; empty if the transport does not support it. Where one
     * consumer at a time receives deliveries, those that stand by need not be counted. A consumption that is paused or stopped and has
     * settled what it had is none. May block until the broker answers.
     *
     * @throws BrowsingException SB-5015 if the broker is unreachable; SB-5018 if there is no such queue, or no permission
     */
    default OptionalInt consumers(String queue) {
        return OptionalInt.empty();
    }

    /** Closes the connections. Messages being handled can no longer be settled and will be redelivered. */
    @Override
    void close();
}
