// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of a batch handler: the before group around each message, one within the other, and in the midst the call with those that get
 * there. Confined to one thread, and used once.
 */
final class BatchCall {

    private final HandlerDefinition handler;
    private final HandlerStep step;
    private final List<? extends Part> parts;
    private final Surroundings whole;
    private final Consumer<String> off;
    private final Thread thread = Thread.currentThread();
    private final List<HandledMessage> inside = new ArrayList<>();
    private @Nullable Throwable failure;

    /** What is on the thread while something runs: a log context, beans. */
    interface Surroundings {

        <T> T within(Callable<T> action) throws Exception;
    }

    /** A message of the batch. */
    interface Part extends Surroundings {

        HandledMessage message();
    }

    /**
     * @param whole of the call itself
     * @param off hears why each message is to be alone from now on
     */
    BatchCall(
            HandlerDefinition handler,
            HandlerStep step,
            List<? extends Part> parts,
            Surroundings whole,
            Consumer<String> off) {
        this.handler = handler;
        this.step = step;
        this.parts = parts;
        this.whole = whole;
        this.off = off;
    }

    /** @throws Exception what leaves the outermost middleware; if that swallows it, what has failed first: it is everybody's failure */
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
        if (Thread.currentThread() != thread) { // as if it had come alone: transaction and publications stay behind
            call(List.of(part.message()));
            return;
        }
        boolean isTwice = inside.contains(part.message());
        if (isTwice && failure == null) {
            off.accept("a middleware runs the handler again after it has succeeded. Set batchSize to 1");
        }
        if (isTwice || failure != null) {
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
        parts.forEach(part -> part.message().publishesWithin(bunny -> new BunnyOfOne(bunny, part, thread)));
        try {
            boolean unused = whole.within(() -> {
                call(inside);
                return true;
            });
        } catch (Throwable e) {
            throw failed(e);
        } finally {
            Thread.interrupted();
            inside.forEach(message -> message.handling.handlerReturned());
        }
    }

    private void call(List<HandledMessage> messages) throws Exception {
        handler.invoker()
                .invokeBatch(
                        messages.stream().map(HandledMessage::payloadOfRun).toList(),
                        Collections.unmodifiableList(messages));
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
}
