// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope;
import io.safebunny.handling.Pipeline;
import io.safebunny.handling.Surrounding;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Middleware;
import io.safebunny.middleware.Next;
import io.safebunny.publishing.PublishCall.Mode;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** {@link Bunny} as a pipeline: before group, identify, serialize, send (or collect), after group. Thread-safe. */
public final class PipelineBunny implements Bunny {

    private final CurrentHandling current;
    private final StrayPublications strays;
    private final ConfirmedSender sender;
    private final MessageScope scope;
    private final Executor callbacks;
    private final StoreOrSend last;
    private final Pipeline<PublishCall> pipeline;

    /**
     * @param current tells which message each thread of this engine is handling
     * @param outbox if {@code null}, transactions open on the publishing thread are ignored
     */
    public PipelineBunny(
            CurrentHandling current,
            MessageFactory messages,
            ConfirmedSender sender,
            @Nullable Outbox outbox,
            AroundPublication around) {
        this.current = current;
        this.strays = new StrayPublications(current);
        this.sender = sender;
        this.scope = around.scope();
        this.callbacks = new Callbacks(around.threads(), sender.timeline(), around.log());
        this.last = new StoreOrSend(messages, sender, outbox, around, callbacks);
        List<Middleware<? super PublishCall>> steps = new ArrayList<>(around.of(Group.BEFORE));
        steps.add(last);
        this.pipeline = new Pipeline<>(steps);
    }

    /**
     * A {@link Bunny} that publishes as part of the handling from any thread, until the handler returns.
     *
     * @throws InvalidPublicationException when called on another thread than the handler's, or within a step
     */
    public Bunny within(Handling handling) {
        if (!handling.isCurrent()) {
            throw new InvalidPublicationException(
                    "MessageContext.publisher() was called outside the handling of message %s. It must be called on the handler's thread; pass its result to other threads."
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
        Handling handling;
        try {
            handling = surrounding(payload, publishOptions);
        } catch (InvalidPublicationException e) {
            return CompletableFuture.failedFuture(e);
        }
        return publishAsync(payload, publishOptions, handling);
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
            PublishCall call =
                    run(surrounding == null ? Mode.SEND_ASYNC : Mode.COLLECT, payload, publishOptions, surrounding);
            return call.sent == null
                    ? CompletableFuture.completedFuture(call.published())
                    : call.sent.thenApplyAsync(none -> call.published(), callbacks);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Creates a message without sending it; the publish middlewares see it now. The caller keeps the message, and must later report the
     * outcome to the message's watcher.
     *
     * @return {@code null} when a middleware dropped it
     */
    public @Nullable OutboundMessage keepBack(Object payload, PublishOptions publishOptions, Handling handling) {
        return run(Mode.KEEP, payload, publishOptions, handling).kept;
    }

    /**
     * Like {@link #keepBack(Object, PublishOptions, Handling)}, for an undo. It has no deadline.
     *
     * @param correlationId of the saga
     * @param id of the undo
     * @param step id of the message that it undoes
     */
    public @Nullable OutboundMessage keepBackUndo(
            Object payload, String correlationId, String id, String step, Handling handling) {
        PublishOptions options = PublishOptions.none().withCorrelationId(correlationId);
        PublishCall call = new PublishCall(Mode.KEEP, payload, options, handling, Duration.ZERO);
        call.undo(id, step);
        return run(call).kept;
    }

    /** Like {@link #keepBack(Object, PublishOptions, Handling)}, within the current handling of this thread, if any. */
    public @Nullable OutboundMessage keepBack(Object payload, PublishOptions publishOptions) {
        return run(Mode.KEEP, payload, publishOptions, surrounding(payload, publishOptions)).kept;
    }

    /** Collects, stores or sends an existing message, in the way {@link #publish(Object, PublishOptions)} does with a new one. */
    public void hand(OutboundMessage message) {
        Handling handling = current.get();
        if (handling == null) {
            last.storeOrSend(message);
        } else {
            handling.requirePublishing();
            last.collect(handling, message);
        }
    }

    private @Nullable Handling surrounding(Object payload, PublishOptions publishOptions) {
        Handling handling = current.get();
        if (handling != null) {
            handling.requireOnlyMessage(payload.getClass());
        } else if (publishOptions.correlationId() == null) {
            strays.warn(payload);
        }
        return handling;
    }

    private PublishCall run(
            Mode mode, Object payload, PublishOptions publishOptions, @Nullable Surrounding surrounding) {
        return run(new PublishCall(mode, payload, publishOptions, surrounding, delay(publishOptions)));
    }

    private PublishCall run(PublishCall call) {
        if (call.mode.isSending()) {
            call.deadline(sender.deadline());
        }
        unchecked(() -> scope.run(() -> pipeline.run(call)));
        return call;
    }

    private Duration delay(PublishOptions publishOptions) {
        Instant deliverAt = publishOptions.deliverAt();
        if (deliverAt == null) {
            return publishOptions.delay();
        }
        Instant now = sender.timeline().now();
        return deliverAt.isAfter(now) ? Duration.between(now, deliverAt) : Duration.ZERO;
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
