// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.Connection;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.WireMessage;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.declare.Declarations;
import io.safebunny.rabbit.delay.Delay;
import io.safebunny.rabbit.publish.Destination;
import io.safebunny.rabbit.publish.PublisherPool;
import io.safebunny.rabbit.topology.DeclaredTopology;
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
 * Turns a route and a delay into the exchange, key and headers that a message is published with. What a node's own messages need on the
 * broker is declared again when one of them found it missing. Thread-safe.
 */
final class RabbitSender {

    private final PublisherPool publishers;
    private final ConnectionKeeper connection;
    private final DeclaredTopology declared;
    private final Supplier<@Nullable String> user;
    /** A message for this node itself, or for a delay, found no queue. */
    private final AtomicBoolean missing = new AtomicBoolean();

    /** @param user of the broker that publications name as their sender, {@code null} for none; asked each time, as it may change */
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
        CompletableFuture<Void> sent = publishers.publish(message.publication(), () -> outgoing(message), deadline);
        return isOwn(message) ? rememberingWhatIsMissing(sent) : sent;
    }

    /** A future of its own, because a dependent stage would wrap the failure. */
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

    /** Whether what it needs on the broker is declared by this node, and not by those it is for. */
    private static boolean isOwn(OutboundMessage message) {
        return !message.delay().isZero() || !(message.route() instanceof Route.Publication);
    }

    private PublisherPool.Outgoing outgoing(OutboundMessage message) throws IOException {
        if (isOwn(message)) {
            declareMissing();
        }
        Destination destination = destination(message);
        WireMessage wire = message.message();
        return new PublisherPool.Outgoing(destination, wire, headers(wire, destination), user(message.route()));
    }

    /** Not of poison copies, discarded ones included: nothing in those queues proves who sent it, and who replays it is another user. */
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

    /** One at a time; when it fails, so does the publication that asked for it, and the next answer of the broker asks again. */
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
                throw new IOException("not connected");
            }
            return chosen.delayed(route, message.delay(), this::declarations);
        }
        Topology planned = declared.planned();
        if (planned == null) {
            throw new IOException("not started");
        }
        TopologyOptions names = planned.options();
        if (route instanceof Route.Publication publication) {
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
            throw new IOException("not connected");
        }
        return Declarations.on(open, declared.require());
    }
}
