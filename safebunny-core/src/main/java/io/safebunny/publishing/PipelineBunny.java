// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.micrometer.observation.Observation;
import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.Printable;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Surrounding;
import io.safebunny.message.Envelope;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.observation.Observations;
import io.safebunny.pipeline.MessageScope;
import io.safebunny.pipeline.Pipeline;
import io.safebunny.publishing.Publication.Mode;
import io.safebunny.spi.codec.BodyCodec;
import io.safebunny.spi.identity.IdScheme;
import io.safebunny.spi.outbox.Outbox;
import io.safebunny.spi.serialization.MessageSerializer;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.time.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link Bunny} as a pipeline: before group, identify, serialize, send (or collect), after group. Thread-safe. */
public final class PipelineBunny implements Bunny {

    private static final Logger LOG = LoggerFactory.getLogger(PipelineBunny.class);

    private final CurrentHandling current;
    private final PublishingOptions options;
    private final Identifier identifier;
    private final MessageSerializer serializer;
    private final ConfirmedSender sender;
    private final @Nullable Outbox outbox;
    private final Timeline timeline;
    private final Observations observations;
    private final MessageScope scope;
    private final Executor callbacks;
    private final Pipeline<Publication> pipeline;
    private final Pipeline<PublishContext> after;
    private final boolean hasAfter;

    /** Payload classes: as many as the application has. */
    private final Set<Class<?>> toldLeftBehind = ConcurrentHashMap.newKeySet();

    /**
     * @param current of the engine this belongs to
     * @param outbox {@code null}: a transaction that is open on the publishing thread is not looked at
     * @param callbacks completes the futures of {@code publishAsync}, so that no caller's code runs on an I/O thread
     */
    public PipelineBunny(
            CurrentHandling current,
            PublishingOptions options,
            IdScheme ids,
            MessageSerializer serializer,
            ConfirmedSender sender,
            @Nullable Outbox outbox,
            Timeline timeline,
            Observations observations,
            MessageScope scope,
            Executor callbacks,
            List<PublishMiddleware> middlewares) {
        this.current = current;
        this.options = options;
        this.identifier = new Identifier(options.node(), ids, timeline.random());
        this.serializer = serializer;
        this.sender = sender;
        this.outbox = outbox;
        this.timeline = timeline;
        this.observations = observations;
        this.scope = scope;
        this.callbacks = new Callbacks(callbacks, timeline);
        List<Middleware<? super Publication>> steps = new ArrayList<>(of(middlewares, Group.BEFORE));
        steps.add(this::act);
        this.pipeline = new Pipeline<>(steps);
        List<PublishMiddleware> afterwards = of(middlewares, Group.AFTER);
        this.after = new Pipeline<>(afterwards);
        this.hasAfter = !afterwards.isEmpty();
    }

    private static List<PublishMiddleware> of(List<PublishMiddleware> middlewares, Group group) {
        return middlewares.stream()
                .filter(middleware -> middleware.group() == group)
                .toList();
    }

    /**
     * Publishes as part of the handling from any thread, until its handler returns.
     *
     * @throws InvalidPublicationException on another thread than the handler's, and within a step
     */
    public Bunny within(Handling handling) {
        if (current.get() != handling) {
            throw new InvalidPublicationException(
                    "MessageContext.publisher() is called outside of the handling of message %s. Call it on the handler's thread, and hand its result to the others."
                            .formatted(handling.message().id()));
        }
        return new JoiningBunny(this, handling.open());
    }

    @Override
    public Published publish(Object payload, PublishOptions publishOptions) {
        return publish(payload, publishOptions, surrounding(payload, publishOptions));
    }

    @Override
    public Published publishNow(Object payload, PublishOptions publishOptions) {
        return publishNow(payload, publishOptions, surrounding(payload, publishOptions));
    }

    @Override
    public CompletableFuture<Published> publishAsync(Object payload, PublishOptions publishOptions) {
        return publishAsync(payload, publishOptions, surrounding(payload, publishOptions));
    }

    Published publish(Object payload, PublishOptions publishOptions, @Nullable Surrounding surrounding) {
        return run(surrounding == null ? Mode.SEND_AND_WAIT : Mode.COLLECT, payload, publishOptions, surrounding)
                .published();
    }

    Published publishNow(Object payload, PublishOptions publishOptions, @Nullable Surrounding surrounding) {
        return run(Mode.SEND_NOW, payload, publishOptions, surrounding).published();
    }

    CompletableFuture<Published> publishAsync(
            Object payload, PublishOptions publishOptions, @Nullable Surrounding surrounding) {
        try {
            Outcome outcome =
                    run(surrounding == null ? Mode.SEND_ASYNC : Mode.COLLECT, payload, publishOptions, surrounding);
            return outcome.sent() == null
                    ? CompletableFuture.completedFuture(outcome.published())
                    : outcome.sent().thenApplyAsync(none -> outcome.published(), callbacks);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private @Nullable Handling surrounding(Object payload, PublishOptions publishOptions) {
        Handling handling = current.get();
        if (handling == null && publishOptions.correlationId() == null) {
            tellIfLeftBehind(payload);
        }
        return handling;
    }

    /** No failure: a thread of a pool, started within a handling, may do somebody else's work by now. */
    private void tellIfLeftBehind(Object payload) {
        Handling handling = current.startedIn();
        if (handling != null && toldLeftBehind.add(payload.getClass())) {
            LOG.warn(
                    "{} is published on thread '{}', which was started in the handling of message {}, but is not part of that handling: it begins a saga of its own, is sent even if the handler fails, and again when the handler is repeated. Publish it with MessageContext.publisher() and an idempotency key; or give it a correlation id, if it is meant so. Told once per class",
                    payload.getClass().getName(),
                    Names.printable(Thread.currentThread().getName()),
                    handling.message().id());
        }
    }

    /** @param sent in mode {@link Mode#SEND_ASYNC} */
    private record Outcome(Published published, @Nullable CompletableFuture<Void> sent) {}

    private Outcome run(Mode mode, Object payload, PublishOptions publishOptions, @Nullable Surrounding surrounding) {
        Publication publication = new Publication(
                mode,
                payload,
                MessageTypes.nameOf(payload.getClass()),
                publishOptions,
                surrounding,
                mode == Mode.COLLECT ? null : sender.deadline());
        unchecked(() -> scope.run(() -> pipeline.run(publication)));
        return new Outcome(publication.published(), publication.sent);
    }

    private void act(Publication publication, Next next) throws Exception {
        try {
            send(publication);
        } catch (Throwable failure) {
            publication.failed(failure);
            runAfter(publication);
            throw failure;
        }
        publication.accepted();
        if (publication.sent == null) {
            publication.failed(null);
            runAfter(publication);
        }
        next.run();
    }

    /** What happened has happened: a failure here is told and changes nothing. */
    private void runAfter(Publication publication) {
        try {
            scope.run(() -> after.run(publication));
        } catch (Throwable e) {
            LOG.warn(
                    "A middleware failed after the publishing of message {}", publication.messageId(), Printable.of(e));
        }
    }

    private void send(Publication publication) {
        if (publication.surrounding != null) {
            publication.surrounding.requirePublishing();
        }
        Envelope parent = publication.surrounding == null ? null : publication.surrounding.message();
        Map<String, String> trace = Observations.traceOf(parent);
        Observation observation = observations.startPublishing(publication.type(), trace);
        boolean handedOver = false;
        Throwable failure = null;
        try {
            OutboundMessage message = prepare(publication, trace);
            switch (publication.mode) {
                case COLLECT ->
                    Objects.requireNonNull(publication.surrounding, "in this mode")
                            .collect(message);
                case SEND_AND_WAIT -> {
                    if (!isStored(message)) {
                        sender.requireRunning(message);
                        sender.sendAndWait(message, publication.deadline());
                    }
                }
                case SEND_ASYNC -> {
                    if (!isStored(message)) {
                        sender.requireRunning(message);
                        publication.sent =
                                whenSent(publication, observation, sender.send(message, publication.deadline()));
                        handedOver = true;
                    }
                }
                case SEND_NOW -> {
                    sender.requireRunning(message);
                    sender.sendAndWait(message, publication.deadline());
                }
            }
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            if (observation != null && !handedOver) {
                Observations.stop(observation, null, failure);
            }
        }
    }

    private boolean isStored(OutboundMessage message) {
        return outbox != null && outbox.add(message);
    }

    private CompletableFuture<Void> whenSent(
            Publication publication, @Nullable Observation observation, CompletableFuture<Void> sent) {
        if (observation == null && !hasAfter) {
            return sent;
        }
        return sent.whenCompleteAsync(
                (none, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    if (observation != null) {
                        Observations.stop(observation, null, cause);
                    }
                    publication.failed(cause);
                    runAfter(publication);
                },
                callbacks);
    }

    private OutboundMessage prepare(Publication publication, Map<String, String> trace) {
        byte[] body = serializer.serialize(publication.payload());
        requireNotTooLarge(publication, body);
        Envelope envelope = identifier.identify(
                publication,
                Observations.w3c(trace),
                timeline.now().plus(publication.delay()).toEpochMilli(),
                serializer.contentType(),
                body);
        return new OutboundMessage(
                        encoded(publication, envelope),
                        new Route.Publication(Names.address(options.node(), publication.type())),
                        publication.delay())
                .withDroppedIfUnheard(publication.options.isDroppedIfUnheard());
    }

    /** Receivers bound both, what is on the wire and what it is decoded to. */
    private void requireNotTooLarge(Publication publication, byte[] body) {
        if (body.length > options.maxMessageSize()) {
            throw new InvalidPublicationException(
                    "Message too large [type=%s, bytes=%d]: at most %d. Publish a reference to the data, or raise safebunny.max-message-size on all nodes that see it."
                            .formatted(publication.type(), body.length, options.maxMessageSize()));
        }
    }

    private WireMessage encoded(Publication publication, Envelope envelope) {
        BodyCodec codec = options.codec();
        if (codec == null) {
            return envelope.toWire();
        }
        byte[] body = codec.encode(envelope);
        requireNotTooLarge(publication, body);
        return envelope.toWire(codec.encoding(), body);
    }

    private static void unchecked(Next action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new InvalidPublicationException("A publish middleware failed: " + e, e);
        }
    }
}
