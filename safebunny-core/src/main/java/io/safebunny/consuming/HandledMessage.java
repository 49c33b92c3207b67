// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.Bunny;
import io.safebunny.failure.MisuseException;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.recovery.Ending;
import io.safebunny.recovery.Ending.Failed;
import io.safebunny.transport.Delivery;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** One valid message on its way through the consume pipeline. Confined to the thread that handles it. */
final class HandledMessage implements ConsumeContext {

    final Delivery delivery;
    final Handling handling;
    private final Class<?> payloadClass;
    private final Function<Handling, Bunny> publishers;
    private final Supplier<Object> body;
    /** {@code null} when a run of the handler may have changed it: it is read anew then. */
    private @Nullable Object unread;
    /** What a middleware has put in the payload's place. */
    private @Nullable Object replacement;

    private @Nullable Throwable attemptFailure;
    /** Known as soon as it is certain; a message that comes back has not ended. */
    private @Nullable Ending ending;

    private boolean failedBefore;

    /**
     * @param body reads the payload anew
     * @param payloadType what the handler takes
     */
    HandledMessage(
            Delivery delivery,
            Handling handling,
            Supplier<Object> body,
            Type payloadType,
            Function<Handling, Bunny> publishers) {
        this.publishers = publishers;
        this.delivery = delivery;
        this.body = body;
        this.unread = body.get();
        this.payloadClass = ResolvableType.forType(payloadType).resolve(Object.class);
        this.handling = handling;
    }

    Envelope envelope() {
        return handling.message();
    }

    /** An attempt has ended; it may be the last one, or not. */
    void failed(@Nullable Throwable cause) {
        attemptFailure = cause;
    }

    /** What the latest attempt threw, whatever was made of that; {@code null} when it succeeded. */
    @Nullable
    Throwable attemptFailure() {
        return attemptFailure;
    }

    /** It is handled, or given up: it is not handled again, unless it is replayed. */
    void endsAs(Ending certain) {
        ending = certain;
    }

    /** Whether this delivery has ended the handling of the message. */
    boolean isOver() {
        return ending != null;
    }

    /** It runs again from the outermost middleware of the before group, which is to see what it saw the first time. */
    void startAgain() {
        replacement = null;
        unread = null;
        handling.startAgain();
    }

    /** For one run of the handler. What comes after it reads the body anew; what a middleware has put in the payload's place stays. */
    Object payloadOfRun() {
        Object given = payload();
        unread = null;
        return given;
    }

    /** What is not confirmed by now is kept in the record of a handled message; otherwise it was for nothing. */
    void publicationsEnd(Ending how) {
        Throwable failure = how instanceof Failed failed ? failed.failure() : null;
        handling.ended(isOver() ? PublishOutcome.STORED : PublishOutcome.DROPPED, failure);
    }

    /** Neither a delayed retry nor a replay. */
    boolean isFirstAttempt() {
        return attempt() == 0 && !delivery.message().message().headers().containsKey(Headers.POISONED_AT);
    }

    /** It was kept in its node's store until its time had come: scheduled, or an undo. */
    boolean wasKept() {
        return delivery.message().message().headers().containsKey(Headers.MADE_AT);
    }

    /** Whether it has failed before, as far as is known. */
    boolean hasFailedBefore() {
        return attempt() > 0 || failedBefore;
    }

    /** The saga by which it was correlated, if that is not its correlation id. */
    @Nullable
    String saga() {
        String partition = handling.key().correlationId();
        return partition.equals(correlationId()) ? null : partition;
    }

    /** A failure of it was logged. */
    void noteFailure() {
        failedBefore = true;
    }

    @Override
    public String toString() {
        return envelope().toString();
    }

    @Override
    public Object payload() {
        if (replacement != null) {
            return replacement;
        }
        Object read = unread;
        if (read == null) {
            read = body.get();
            unread = read;
        }
        return read;
    }

    @Override
    public void replacePayload(Object replacement) {
        if (!payloadClass.isInstance(replacement)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "A middleware replaced the payload of a message by another type [type=%s, replacement=%s]: the handler takes %s. Give it one of those, or let the handler take the other."
                            .formatted(type(), replacement.getClass().getName(), payloadClass.getName()));
        }
        this.replacement = replacement;
    }

    @Override
    public String queue() {
        return delivery.message().queue();
    }

    @Override
    public @Nullable Throwable failure() {
        if (ending == null) {
            return attemptFailure;
        }
        return ending instanceof Failed failed ? failed.failure() : null;
    }

    @Override
    public String messageId() {
        return envelope().id();
    }

    @Override
    public String correlationId() {
        return envelope().correlationId();
    }

    @Override
    public String type() {
        return envelope().type();
    }

    @Override
    public String from() {
        return envelope().node();
    }

    @Override
    public int marker() {
        return envelope().marker();
    }

    @Override
    public @Nullable String causationId() {
        return envelope().causationId();
    }

    @Override
    public int attempt() {
        return envelope().attempt();
    }

    @Override
    public Instant sentAt() {
        return Instant.ofEpochMilli(envelope().sentAt());
    }

    @Override
    public boolean redelivered() {
        return delivery.message().redelivered();
    }

    @Override
    public Map<String, Object> headers() {
        return envelope().headers();
    }

    @Override
    public Bunny publisher() {
        return publishers.apply(handling);
    }

    @Override
    public <T, X extends Exception> T once(String name, Class<T> type, Step<T, X> step) throws X {
        if (isOver()) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Step [%s] is used when the handling of message %s is over: nothing would remember it. Use steps in the handler, or in the before group."
                            .formatted(name, messageId()));
        }
        return handling.once(name, type, step);
    }
}
