// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a handler can learn about its message. Valid while the handler runs; the properties never change. */
public interface MessageContext {

    /** Id of the message: the same on every delivery and for every duplicate. */
    String messageId();

    /** Id of the saga the message belongs to. */
    String correlationId();

    /** Message type name. */
    String type();

    /** Node that published the message; empty if a foreign publisher did not name one. */
    String from();

    /** Position in the saga: 1 for the message that started it, otherwise the parent's plus 1. */
    int marker();

    /** Id of the message in whose handling this one was published; {@code null} when it started the saga. */
    @Nullable
    String causationId();

    /** Delayed retries so far: 0 on the first delivery. In-memory retries are not counted here. */
    int attempt();

    /**
     * When it was published (for a delayed publication: when it was due), by the publisher's clock; the epoch if a foreign
     * publisher did not say.
     */
    Instant sentAt();

    /**
     * When the message expires: from then on its handler is not begun any more, but may finish. {@code null} if never, and for undos and
     * replays.
     */
    default @Nullable Instant deadline() {
        return null;
    }

    /** Whether the broker has delivered it before. */
    boolean redelivered();

    /** The publisher's own headers: scalars only, without those that begin with {@code sb-} or {@code x-}. */
    Map<String, Object> headers();

    /**
     * A {@link Bunny} that publishes as part of this handling from any thread (an executor's, {@code @Async}, a parallel stream)
     * until the handler returns. The handler must wait for those threads: later publications, including those by threads of a
     * failed attempt, are refused with {@link io.safebunny.failure.InvalidPublicationException}. Correlation, causation and
     * marker are the handling's, and the publications are sent in the order in which they were made, once the handler has
     * succeeded. Each needs {@linkplain PublishOptions#withIdempotencyKey an idempotency key}, because threads publish in a
     * different order each time, so ids cannot depend on it. Nothing can be published while a step runs.
     *
     * <p>A batch handler publishes with the publisher of the message that causes the publication; on its own thread that needs no key.
     *
     * <p>Call it on the handler's thread; the result is thread-safe.
     *
     * @throws io.safebunny.failure.InvalidPublicationException on another thread, and within a step
     */
    Bunny publisher();

    /**
     * Runs a step of this handler to completion at most once per message: a later attempt, after a failure or a crash, gets the
     * stored result instead. Use it for calls to other systems that must not be repeated. A crash between the step's effect and
     * the storing of its result does repeat it, so pass {@link #messageId()} as an idempotency key if the callee accepts one.
     *
     * <p>A step's writes must not be part of the handler's own transaction: the step counts as done even if that is rolled back.
     *
     * <p>Steps may not publish: publish after the step, from its result. Without a store a step is remembered only for the
     * in-memory retries of this delivery. Call it on the handler's thread.
     *
     * @param name name of the step, unique within the handler, 1 to 200 characters
     * @param type type of the result, which is stored as JSON
     * @return what the step returned, now or earlier; never {@code null}
     * @throws X what the step threw; nothing is stored then
     * @throws io.safebunny.failure.MisuseException SB-5004 when the name is invalid, or used before in this attempt
     */
    <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X;

    /** {@link #once(String, Class, Step)} for a step without a result. */
    default <X extends Exception> void once(String name, Action<X> action) throws X {
        Boolean unused = once(name, Boolean.class, () -> {
            action.run();
            return true;
        });
    }

    /** A step with a result. */
    @FunctionalInterface
    interface Step<T, X extends Exception> {
        /** @return not {@code null} */
        T run() throws X;
    }

    /** A step without a result. */
    @FunctionalInterface
    interface Action<X extends Exception> {
        void run() throws X;
    }
}
