// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.Connection;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.publish.Destination;
import io.safebunny.rabbit.publish.PublisherPool;
import io.safebunny.rabbit.topology.Declarations;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.rabbit.topology.Delay;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns a route and a delay into the exchange, routing key and headers to publish with. When a delayed message, or one to this node itself,
 * finds no queue, declares the node's topology again before sending the next such message. Thread-safe.
 */
final class RabbitSender {

    private final PublisherPool publishers;
    private final ConnectionKeeper connection;
    private final DeclaredTopology declared;
    private final Supplier<@Nullable String> user;
    /** Set when a message to this node itself, or a delayed one, found no queue. */
    private final AtomicBoolean missing = new AtomicBoolean();

    /**
     * @param user supplies the broker user that a publication names as its sender, {@code null} for none; called for each publication,
     *     because the user may change
     */
    RabbitSender(
            PublisherPool publishers,
            ConnectionKeeper connection,
            DeclaredTopology declared,
            Supplier<@Nullable String> user) {
        this.publishers = publishers;
        this.connection = connection;
        this.declared = declared;
        this.user = user;
    }

    CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
        CompletableFuture<Void> sent = publishers.publish(
                message.publication(), ownOrderKey(message.message()), () -> outgoing(message), deadline);
        return isOwn(message) ? rememberingWhatIsMissing(sent) : sent;
    }

    /**
     * The order key that the message was given. The correlation id, which stands in for it at the consumer, is none here: most messages have
     * one of their own, and what one thread publishes would be spread over all channels.
     */
    private static @Nullable String ownOrderKey(WireMessage wire) {
        return wire.headers().get(Headers.ORDER_KEY) instanceof String key ? key : null;
    }

    /** Sends to the running instances that listen with this routing key; that there are none is no failure. */
    CompletableFuture<Void> announce(String routingKey, byte[] message, Deadline deadline) {
        Topology planned = declared.require();
        WireMessage wire = new WireMessage(
                null, null, "BunnyControl", planned.node(), null, "application/json", null, Map.of(), message);
        return publishers.publish(
                new Publication("BunnyControl", routingKey, "-"),
                () -> new PublisherPool.Outgoing(
                        new Destination(planned.options().controlExchange(), routingKey, false, Map.of()),
                        wire,
                        Map.of(),
                        user.get()),
                deadline);
    }

    /** Returns a separate future, because a dependent stage would wrap the failure in a CompletionException. */
    private CompletableFuture<Void> rememberingWhatIsMissing(CompletableFuture<Void> sent) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletableFuture<Void> unused = sent.whenComplete((none, failure) -> {
            if (failure instanceof UnroutableException) {
                missing.set(true);
            }
            if (failure == null) {
                told.complete(null);
            } else {
                told.completeExceptionally(failure);
            }
        });
        return told;
    }

    /** Whether the exchanges and queues that the message needs are declared by this node, not by the nodes that receive it. */
    private static boolean isOwn(OutboundMessage message) {
        return !message.delay().isZero() || !(message.route() instanceof Route.ToSubscribers);
    }

    private PublisherPool.Outgoing outgoing(OutboundMessage message) throws IOException {
        if (isOwn(message)) {
            declareMissing();
        }
        Destination destination = destination(message);
        WireMessage wire = message.message();
        return new PublisherPool.Outgoing(destination, wire, headers(wire, destination), user(message.route()));
    }

    /**
     * The user to name as the sender; {@code null} for poison and archived copies, which keep the original sender's properties and may be
     * replayed by another user.
     */
    private @Nullable String user(Route route) {
        Topology planned = declared.planned();
        return route instanceof Route.Poison || (planned != null && isArchive(route, planned)) ? null : user.get();
    }

    private static boolean isArchive(Route route, Topology planned) {
        return route.equals(new Route.ToQueue(Topology.archiveOf(planned.node())));
    }

    private static Map<String, Object> headers(WireMessage wire, Destination destination) {
        if (destination.extraHeaders().isEmpty()) {
            return wire.headers();
        }
        Map<String, Object> headers = new HashMap<>(wire.headers());
        headers.putAll(destination.extraHeaders());
        return headers;
    }

    /**
     * Declares the topology again if something was missing. If that fails, this publication fails too; the next unroutable message triggers
     * another try.
     */
    private void declareMissing() throws IOException {
        Connection open = connection.current();
        if (open != null && missing.compareAndSet(true, false)) {
            declared.declareForPublishing(open);
        }
    }

    private Destination destination(OutboundMessage message) throws IOException {
        Route route = message.route();
        if (!message.delay().isZero()) {
            Delay chosen = declared.delay();
            if (chosen == null) {
                throw notConnected();
            }
            return chosen.delayed(message, this::declarations);
        }
        Topology planned = declared.planned();
        if (planned == null) {
            throw new IOException("the transport is not started, call start(topology) first");
        }
        TopologyOptions names = planned.options();
        if (route instanceof Route.ToSubscribers publication) {
            return new Destination(names.mainExchange(), publication.routingKey(), true, Map.of());
        }
        if (route instanceof Route.Poison poison) {
            return new Destination(names.ownExchange(), Topology.poisonOf(poison.node()), true, Map.of());
        }
        String key = isArchive(route, planned) ? Topology.archivingOf(planned.node()) : route.routingKey();
        return new Destination(names.ownExchange(), key, true, Map.of());
    }

    private Declarations declarations() throws IOException {
        Connection open = connection.current();
        if (open == null) {
            throw notConnected();
        }
        return Declarations.on(open, declared.require());
    }

    /** The exception while there is no connection; the publication is tried again on the next one. */
    private static IOException notConnected() {
        return new IOException("not connected to the broker");
    }
}
