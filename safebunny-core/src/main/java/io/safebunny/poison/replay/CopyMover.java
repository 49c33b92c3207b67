// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.operations.MovedCopies;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Topology;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends a copy to its destination and, once that is confirmed, removes the original. Thread-safe. */
final class CopyMover {

    private static final Logger LOG = LoggerFactory.getLogger(CopyMover.class);

    private final ConfirmedSender sender;
    private final Events events;
    private final Metrics metrics;
    private final Timeline timeline;
    private final MovedCopies moved;
    private final Duration archiveTtl;

    /** @param moved remembers what was moved */
    CopyMover(Node node, MovedCopies moved) {
        this.timeline = node.timeline();
        this.moved = moved;
        this.archiveTtl = node.options().topology().poison().archiveTtl();
        this.sender = node.sender();
        this.events = node.events();
        this.metrics = node.metrics();
    }

    /** Counts a replay; the other operations are not metered. */
    void count(PoisonOperation operation, boolean isMoved) {
        if (operation.kind() == PoisonOperation.Kind.REPLAY
                && !operation.request().dryRun()) {
            metrics.replayed(isMoved);
        }
    }

    /**
     * Blocks until the broker has confirmed the message.
     *
     * @param isOlder whether there is a newer copy of the message
     * @return why the broker refused this message, as a sentence; the copy is then still where it was. {@code null} if the copy was moved
     * @throws RuntimeException if other copies cannot be moved either
     */
    @Nullable
    String move(TrackedOperation operation, Delivery delivery, OutboundMessage message, boolean isOlder) {
        if (!delivery.isOpen()) { // the broker has put the copy back, and others may take it
            throw new BrowsingException(delivery.message().queue(), "the connection was lost. Begin again.", null);
        }
        Instant begun = timeline.now(); // what is replayed may fail before it is certain that it was sent
        operation.sends(id(message));
        try {
            sender.send(message).await();
        } catch (UnroutableException e) {
            operation.settles();
            if (operation.kind() == PoisonOperation.Kind.DISCARD) {
                throw noArchive(message, e);
            }
            return refused(e);
        } catch (NackedException | InvalidPublicationException e) {
            operation.settles();
            return refused(e);
        }
        if (!delivery.isOpen()) {
            throw stillThere(operation, delivery, message, null);
        }
        try {
            delivery.acknowledge();
        } catch (BrowsingException e) {
            throw stillThere(operation, delivery, message, e);
        }
        operation.settles();
        tell(operation, message, isOlder, begun);
        return null;
    }

    private static String refused(SafeBunnyException e) {
        return "It could not be sent, and is where it was: " + e.getMessage();
    }

    private void tell(PoisonOperation operation, OutboundMessage message, boolean isOlder, Instant begun) {
        String to = queue(message.route());
        LOG.info(
                "{} {} moved message {} to {} [by={}]",
                operation.kind(),
                operation.id(),
                id(message),
                to,
                operation.request().by());
        remember(operation, message.message(), isOlder, begun);
        events.moved(operation, to, message.message());
    }

    private void remember(PoisonOperation operation, WireMessage message, boolean isOlder, Instant begun) {
        Moved.@Nullable Kind kind =
                switch (operation.kind()) {
                    case REPLAY -> Moved.Kind.REPLAYED;
                    case DISCARD -> Moved.Kind.DISCARDED;
                    case RESTORE -> Moved.Kind.RESTORED;
                    case EDIT -> null; // the edited copy takes the place of the other one
                };
        if (kind != null) {
            moved.add(new Moved(
                    Names.printable(String.valueOf(message.messageId())),
                    Names.printable(String.valueOf(message.correlationId())),
                    kind,
                    isOlder,
                    begun,
                    kind == Moved.Kind.DISCARDED ? begun.plus(archiveTtl) : null,
                    operation.request().by(),
                    operation.request().reason()));
        }
    }

    private static BrowsingException stillThere(
            PoisonOperation operation, Delivery delivery, OutboundMessage message, @Nullable BrowsingException cause) {
        return new BrowsingException(
                delivery.message().queue(),
                "the connection was lost after message %s was sent to %s, and before it was certain that its copy was removed: it may be in both queues, and is not counted as moved. %s Then begin again."
                        .formatted(
                                id(message),
                                queue(message.route()),
                                operation.kind() == PoisonOperation.Kind.REPLAY
                                        ? "With a store it is handled once, and a replay of what is left here does nothing. Without one it would be handled twice: discard that copy first, if it is there."
                                        : "With a store it is handled once, however many copies are replayed. Without one, discard one of the two first, if there are two."),
                cause);
    }

    private static MisuseException noArchive(OutboundMessage message, UnroutableException e) {
        return new MisuseException(
                MisuseException.POISON,
                "There is no archive to discard to [queue=%s]: this node's topology was prepared before there was one, or the queue was deleted. Run --safebunny.topology=apply as a user who may declare it, see docs/permissions.md. Nothing more was moved."
                        .formatted(queue(message.route())),
                e);
    }

    private static String id(OutboundMessage message) {
        return Names.printable(String.valueOf(message.message().messageId()));
    }

    private static String queue(Route route) {
        return route instanceof Route.Poison poison ? Topology.poisonOf(poison.node()) : route.routingKey();
    }
}
