// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.identity.IdScheme;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.DetailsByType;
import io.safebunny.observation.Events;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.publishing.AroundPublication;
import io.safebunny.publishing.ConfirmedSender;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.publishing.MessageFactory;
import io.safebunny.publishing.PipelineBunny;
import io.safebunny.publishing.PublishingOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Transport;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What all components of a node share, built from its parts. Immutable and thread-safe. */
public final class Node {

    private final SafeBunnyParts parts;
    private final DetailsByType details;
    private final BoundedLog log;
    private final Metrics metrics;
    private final @Nullable MeteredStore store;
    private final Events events;
    private final Observations observations;
    private final ConfirmedSender sender;
    private final CurrentHandling current = new CurrentHandling();
    private final PipelineBunny publisher;
    private final LibraryMessages library;

    public Node(SafeBunnyParts parts) {
        this.parts = parts;
        SafeBunnyOptions options = parts.options();
        details = new DetailsByType(options.exceptionDetails());
        log = new BoundedLog(parts.timeline(), options.exceptionDetails());
        metrics = new Metrics(parts.meterRegistry());
        store = parts.store() == null ? null : MeteredStore.of(parts.store(), parts.timeline(), metrics);
        events = new Events(options.node(), parts.listeners(), parts.callbacks(), parts.timeline(), log);
        observations =
                new Observations(parts.observationRegistry(), options.topology().mainExchange(), log);
        sender = new ConfirmedSender(
                parts.transport(),
                parts.timeline(),
                parts.callbacks(),
                new ConfirmedSender.Limits(options.publishTimeout(), options.maxInFlight()),
                observations);
        metrics.inFlight(sender::inFlight);
        publisher = new PipelineBunny(
                current,
                new MessageFactory(
                        new PublishingOptions(
                                options.node(),
                                options.maxMessageSize(),
                                parts.codecs()::publishing,
                                parts.codecs()::put),
                        parts.idScheme(),
                        parts.serializers()::writerOf,
                        parts.timeline(),
                        metrics),
                sender,
                parts.outbox(),
                new AroundPublication(
                        parts.publishMiddlewares(), parts.scope(), parts.callbacks(), observations, log, details));
        library = new LibraryMessages(options.node(), parts.idScheme(), parts.timeline(), observations);
    }

    public SafeBunnyParts parts() {
        return parts;
    }

    public String name() {
        return parts.options().node();
    }

    public SafeBunnyOptions options() {
        return parts.options();
    }

    public Timeline timeline() {
        return parts.timeline();
    }

    /** Runs tasks that may block, such as calls of the store. */
    public Executor workers() {
        return parts.callbacks();
    }

    public Transport transport() {
        return parts.transport();
    }

    /** The store, with its operations timed; {@code null} for none. */
    public @Nullable MessageStore store() {
        return store;
    }

    /** The store, for callers that know that there is one. */
    public MessageStore requireStore() {
        return Objects.requireNonNull(store(), "a store");
    }

    /** The current outage of the store; {@code null} while the store answers, or if there is no store. */
    public @Nullable StoreOutage storeOutage() {
        return store == null ? null : store.answers().outage();
    }

    public CircuitBreakers breakers() {
        return parts.breakers();
    }

    public IdScheme ids() {
        return parts.idScheme();
    }

    public ConfirmedSender sender() {
        return sender;
    }

    /** Publishes the application's messages. */
    public PipelineBunny publisher() {
        return publisher;
    }

    /** Creates SafeBunny's own messages. */
    public LibraryMessages library() {
        return library;
    }

    /** Tells which message each thread of this node is handling. */
    public CurrentHandling current() {
        return current;
    }

    public Metrics metrics() {
        return metrics;
    }

    public Observations observations() {
        return observations;
    }

    public Events events() {
        return events;
    }

    public BoundedLog log() {
        return log;
    }

    /** How much is shown of failures of messages. */
    public DetailsByType details() {
        return details;
    }
}
