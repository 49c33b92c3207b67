// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.Bunny;
import io.safebunny.failure.MisuseException;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.observation.Observations;
import io.safebunny.recovery.Recovery;
import io.safebunny.recovery.RecoveryAction;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.LinkedHashMap;
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
    private Object payload;
    private boolean isReplaced;
    /** A run of the handler may have changed the payload. */
    private boolean isUsed;

    private @Nullable Throwable attemptFailure;
    private @Nullable Throwable finalFailure;
    private boolean over;
    private @Nullable Recovery recovery;
    private Settlement settlement = Settlement.ACKNOWLEDGE;
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
        this.payload = body.get();
        this.payloadClass = ResolvableType.forType(payloadType).resolve(Object.class);
        this.handling = handling;
    }

    Envelope envelope() {
        return handling.message();
    }

    /** As delivered, and with the version of its record if that says that the message is set aside. */
    IncomingMessage setAside() {
        IncomingMessage delivered = delivery.message();
        if (handling.poisonVersion() == 0) {
            return delivered;
        }
        Map<String, Object> headers = new LinkedHashMap<>(delivered.message().headers());
        headers.put(Headers.POISON_VERSION, handling.poisonVersion());
        return delivered.withHeaders(headers);
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

    /** Nothing that fails from now on makes it be handled again. */
    void completed() {
        over = true;
    }

    /** What is not confirmed by now is kept in the record of a completed message; otherwise it was for nothing. */
    void publicationsEnd(@Nullable Throwable failure) {
        handling.ended(over ? PublishOutcome.STORED : PublishOutcome.DROPPED, failure);
    }

    /** It is not handled again, unless it is replayed. */
    void givenUp(Throwable cause) {
        finalFailure = cause;
        over = true;
    }

    /** It runs again from the outermost middleware of the before group, which is to see what it saw the first time. */
    void startAgain() {
        isReplaced = false;
        isUsed = true;
    }

    /** For one run of the handler. What comes after it reads the body anew; what a middleware has put in the payload's place stays. */
    Object payloadOfRun() {
        Object given = payload();
        isUsed = !isReplaced;
        return given;
    }

    /** Whether this delivery has decided how the handling of the message ends. */
    boolean isOver() {
        return over;
    }

    /** Neither a delayed retry nor a replay. */
    boolean isFirstAttempt() {
        return attempt() == 0 && !delivery.message().message().headers().containsKey(Headers.POISONED_AT);
    }

    /** It was kept in its node's store until its time had come: scheduled, or an undo. */
    boolean wasKept() {
        return delivery.message().message().headers().containsKey(Headers.MADE_AT);
    }

    /** This delivery has handled it, and all that follows from that is done. */
    boolean isHandled() {
        return over && recovery == null;
    }

    /** As meters name it: how this delivery of it ends. */
    String outcome() {
        if (settlement == Settlement.HAND_BACK) {
            return Observations.RETURNED;
        }
        if (recovery == null) {
            return over ? Observations.HANDLED : Observations.DUPLICATE;
        }
        RecoveryAction action = recovery.action();
        if (action instanceof RecoveryAction.Poison || finalFailure != null) {
            return Observations.POISONED;
        }
        return action instanceof RecoveryAction.RetryDelayed ? Observations.RETRIED : Observations.RETURNED;
    }

    /** Whether it has failed before, as far as is known. */
    boolean hasFailedBefore() {
        return attempt() > 0 || failedBefore;
    }

    /** The saga by which it was correlated, if that is not its correlation id. */
    @Nullable
    String saga() {
        String partition = handling.records().key().correlationId();
        return partition.equals(correlationId()) ? null : partition;
    }

    /** A failure of it was logged. */
    void noteFailure() {
        failedBefore = true;
    }

    /** What was decided about its failure; {@code null} before that. */
    @Nullable
    Recovery recovery() {
        return recovery;
    }

    void recoversBy(Recovery decided) {
        recovery = decided;
    }

    void endsWith(Settlement how) {
        settlement = how;
    }

    /** How its delivery ends. */
    Settlement settlement() {
        return settlement;
    }

    @Override
    public String toString() {
        return envelope().toString();
    }

    @Override
    public Object payload() {
        if (isUsed) {
            payload = body.get();
            isUsed = false;
        }
        return payload;
    }

    @Override
    public void replacePayload(Object replacement) {
        if (!payloadClass.isInstance(replacement)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "A middleware replaced the payload of a message by another type [type=%s, replacement=%s]: the handler takes %s. Give it one of those, or let the handler take the other."
                            .formatted(type(), replacement.getClass().getName(), payloadClass.getName()));
        }
        payload = replacement;
        isReplaced = true;
        isUsed = false;
    }

    @Override
    public String queue() {
        return delivery.message().queue();
    }

    @Override
    public @Nullable Throwable failure() {
        return over ? finalFailure : attemptFailure;
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
        if (over) {
            throw new MisuseException(
                    MisuseException.STEP,
                    "Step [%s] is used when the handling of message %s is over: nothing would remember it. Use steps in the handler, or in the before group."
                            .formatted(name, messageId()));
        }
        return handling.once(name, type, step);
    }
}
