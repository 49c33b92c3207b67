// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.Node;
import io.safebunny.observation.LogContext;
import io.safebunny.recovery.NotHandledException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a batch handler: the before group around each message, one within the other, and in the midst the call with those that get
 * there. Confined to one thread, and used once.
 */
final class BatchCall {

    private final Node node;
    private final HandlerDefinition handler;
    private final HandlerStep step;
    private final List<? extends Part> parts;
    private final List<HandledMessage> inside = new ArrayList<>();
    private @Nullable Throwable failure;

    /** A message of the batch. */
    interface Part {

        HandledMessage message();

        /** Runs the action with this message's surroundings on the thread. */
        <T> T within(Callable<T> action) throws Exception;
    }

    BatchCall(Node node, HandlerDefinition handler, HandlerStep step, List<? extends Part> parts) {
        this.node = node;
        this.handler = handler;
        this.step = step;
        this.parts = parts;
    }

    /** @throws Exception the handler's, whatever a middleware of one message makes of it: it is everybody's failure */
    void run() throws Exception {
        try {
            if (step.isAround()) {
                enter(0);
            } else {
                parts.forEach(part -> inside.add(part.message()));
                call();
            }
        } finally {
            Thread.interrupted(); // left behind by the handler or a middleware, it would fail the completion
        }
        if (failure instanceof Exception exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    private void enter(int index) throws Exception {
        if (index == parts.size()) {
            call();
            return;
        }
        Part part = parts.get(index);
        int before = inside.size();
        boolean unused = part.within(() -> {
            step.around(part.message(), () -> enterWith(part, index + 1));
            return true;
        });
        if (inside.size() == before && failure == null) { // kept from the handler: that is all there is to do for it
            enter(index + 1);
        }
    }

    /** What leaves it is everybody's failure, whatever the middleware of one message makes of it; and nobody gets there twice. */
    private void enterWith(Part part, int next) throws Exception {
        if (failure != null || inside.contains(part.message())) {
            throw failed(NotHandledException.later(
                    "A middleware runs the rest of a batch again: each message is handled alone then", Duration.ZERO));
        }
        inside.add(part.message());
        try {
            enter(next);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private void call() throws Exception {
        if (inside.isEmpty()) {
            return;
        }
        parts.forEach(
                part -> part.message().publishesWithin(bunny -> new BunnyOfOne(bunny, part, Thread.currentThread())));
        LogContext before = LogContext.replaceByBatch(handler.type(), node.name());
        try {
            node.parts().scope().runAnew(this::callHandler);
        } catch (Throwable e) {
            throw failed(e);
        } finally {
            Thread.interrupted();
            inside.forEach(message -> message.handling.handlerReturned());
            before.restore();
        }
    }

    /** The first counts. Handlers and middlewares throw exceptions and errors only. */
    private Exception failed(Throwable cause) {
        if (failure == null) {
            failure = cause;
            inside.forEach(message -> message.failed(cause));
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return (Exception) cause;
    }

    /** Publishes with the surroundings of one message: its trace, its log context, its beans. Other threads have none of these. */
    private record BunnyOfOne(Bunny bunny, Part part, Thread thread) implements Bunny {

        @Override
        public Published publish(Object payload, PublishOptions options) {
            return within(() -> bunny.publish(payload, options));
        }

        @Override
        public CompletableFuture<Published> publishAsync(Object payload, PublishOptions options) {
            return within(() -> bunny.publishAsync(payload, options));
        }

        @Override
        public Published publishNow(Object payload, PublishOptions options) {
            return within(() -> bunny.publishNow(payload, options));
        }

        private <T> T within(Supplier<T> publishing) {
            if (Thread.currentThread() != thread) {
                return publishing.get();
            }
            try {
                return part.within(publishing::get);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) { // publishing throws none
                throw new InvalidPublicationException("A publication failed: " + e, e);
            }
        }
    }

    private void callHandler() throws Exception {
        handler.invoker()
                .invokeBatch(
                        inside.stream().map(HandledMessage::payloadOfRun).toList(),
                        Collections.unmodifiableList(inside));
    }
}
