// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.Bunny;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Handled;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.FailedAttempt.TimeLeft;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.NotYetReadableException;
import io.safebunny.message.PoisonReason;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.rate.leasing.RateLimit.Turn;
import io.safebunny.store.record.Trail;
import io.safebunny.time.Timeline;
import io.safebunny.transport.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One valid message on its way through the consume pipeline. Confined to the thread that handles it. */
final class HandledMessage implements ConsumeContext {

    final Delivery delivery;
    final Handling handling;
    /** Whether its handler runs at most once, because others share its transaction. */
    final boolean sharesTransaction;

    /** Why its body cannot be read now, or not any more; {@code null} if it can. */
    private final @Nullable SafeBunnyException unreadable;

    private final Class<?> payloadClass;
    private Function<Handling, Bunny> publishers;
    private final Supplier<Object> body;
    /** The payload, unless a run of the handler may have changed it: {@code null} then, and the body is read again. */
    private @Nullable Object unread;
    /** A middleware's replacement for the payload. */
    private @Nullable Object replacement;

    private @Nullable Throwable attemptFailure;
    /** Set once it is final; {@code null} for a message that comes back. */
    private @Nullable Ending ending;

    private boolean failedBefore;
    /** When the latest attempt began, in monotonic time. */
    private long begunAt;
    /** How the latest attempt failed, if it has. */
    private Trail.@Nullable Failure noted;
    /** When its handler may begin; {@code null} if its type has no rate, or it has begun. */
    private @Nullable Turn turn;

    /** How it would end because its deadline has passed, or its person was erased; {@code null} while neither decides anything. */
    private @Nullable Poisoned expired;
    /** Whether it has expired, and that changes nothing, because its saga has ended. */
    private boolean isIgnored;
    /** Whether its latest attempt is not repeated in memory because that would come too late. */
    private boolean isCutShort;

    /**
     * @param body reads the payload; called again for each run
     * @param payloadClass what the handler takes
     * @param sharesTransaction whether the handler is not run again in memory
     */
    HandledMessage(
            Delivery delivery,
            Handling handling,
            Supplier<Object> body,
            Class<?> payloadClass,
            Function<Handling, Bunny> publishers,
            boolean sharesTransaction) {
        this.sharesTransaction = sharesTransaction;
        this.publishers = publishers;
        this.delivery = delivery;
        this.body = body;
        SafeBunnyException unknown = null;
        try {
            this.unread = body.get();
        } catch (NotHandledException | NotYetReadableException | SubjectErasedException e) {
            unknown = e;
        }
        this.unreadable = unknown;
        this.payloadClass = payloadClass;
        this.handling = handling;
    }

    Envelope envelope() {
        return handling.message();
    }

    /**
     * Why its body cannot be read now, although it may be in order: a {@link NotHandledException} or an {@link NotYetReadableException}; {@code
     * null} if it can be. Then the message is not claimed: nobody knows yet what it is. Or that nobody can read it any more, by {@link
     * SubjectErasedException}.
     */
    @Nullable
    SafeBunnyException unreadable() {
        return unreadable;
    }

    /** @param within publishes as part of this message, although its batch is being handled */
    void publishesWithin(UnaryOperator<Bunny> within) {
        publishers = publishers.andThen(within);
    }

    /**
     * An attempt begins.
     *
     * @param now monotonic time
     */
    void begins(long now) {
        begunAt = now;
        isCutShort = false;
        noted = null;
    }

    long begunAt() {
        return begunAt;
    }

    void mayBegin(Turn at) {
        turn = at;
    }

    /** When its handler may begin; {@code null} for each run after the first. */
    @Nullable
    Turn takeTurn() {
        Turn taken = turn;
        turn = null;
        return taken;
    }

    /** Whether its deadline has passed, and nothing was decided because of that yet. */
    boolean isOverdue(Timeline timeline) {
        long deadline = deadlineMillis();
        return deadline != 0 && expired == null && timeline.now().toEpochMilli() >= deadline;
    }

    /** Until its deadline, which counts no more once it has decided. */
    TimeLeft timeLeft(Timeline timeline) {
        long deadline = deadlineMillis();
        return deadline == 0 || expired != null
                ? TimeLeft.UNLIMITED
                : new TimeLeft(Duration.ofMillis(deadline - timeline.now().toEpochMilli()), isCutShort);
    }

    /** Since the epoch; 0 if it has none. */
    private long deadlineMillis() {
        return Headers.deadline(delivery.message().message().headers());
    }

    /** No attempt in memory follows the latest one, because it would come too late. */
    void cutShort() {
        isCutShort = true;
    }

    /** From now on its handler does not run any more. */
    void expires(Poisoned otherwise) {
        expired = otherwise;
        noted = null; // what was noted is the failure of an attempt
    }

    /** Its saga would ignore it if it had not expired, too. */
    void ignored() {
        isIgnored = true;
    }

    boolean isIgnored() {
        return isIgnored;
    }

    /** {@code null} unless its deadline has passed, or its person was erased. */
    @Nullable
    Poisoned expired() {
        return expired;
    }

    /** Whether it ends because its person was erased. */
    boolean isShredded() {
        return expired != null && expired.reason() == PoisonReason.SHREDDED;
    }

    /** Notes for the record how the latest attempt failed: the last that is known of it. */
    void note(Trail.Failure failure) {
        if (noted != null) {
            handling.failedAfterAll(failure);
        } else {
            handling.failed(failure);
        }
        noted = failure;
    }

    /** The latest attempt was not the last one after all, however it failed. */
    void comesBack(Instant at) {
        Trail.Failure last = noted;
        if (last != null) {
            note(new Trail.Failure(last.at(), last.instance(), last.millis(), last.exception(), last.text(), at));
        }
    }

    /** Records how the latest attempt ended. */
    void failed(@Nullable Throwable cause) {
        attemptFailure = cause;
    }

    /** What the latest attempt threw; {@code null} when it succeeded. */
    @Nullable
    Throwable attemptFailure() {
        return attemptFailure;
    }

    /** Marks the ending as final: handled, or given up. Only a replay is handled again. */
    void endsAs(Ending certain) {
        ending = certain;
    }

    /** Whether this delivery has ended the handling of the message. */
    boolean isOver() {
        return ending != null;
    }

    /** Resets the message for a run from the outermost middleware of the before group, which sees what it saw the first time. */
    void startAgain() {
        replacement = null;
        unread = null;
        handling.startAgain();
    }

    /** The payload for one run of the handler, which may change it, so the next run reads the body again. A replacement is kept. */
    Object payloadOfRun() {
        Object given = payload();
        unread = null;
        return given;
    }

    /** Tells watchers that nothing of this run is sent. */
    void publicationsDropped(@Nullable Throwable why) {
        handling.ended(PublishOutcome.DROPPED, why);
    }

    /** Tells watchers of unconfirmed publications: stored in the record of a handled message, otherwise dropped. */
    void publicationsEnd(Ending how) {
        Throwable failure = how instanceof Failed failed ? failed.failure() : null;
        handling.ended(isOver() ? PublishOutcome.STORED : PublishOutcome.DROPPED, failure);
    }

    /** Neither a delayed retry nor a replay. */
    boolean isFirstAttempt() {
        return attempt() == 0 && !delivery.message().message().headers().containsKey(Headers.POISONED_AT);
    }

    /** Nothing is known of it yet: no retry, replay, undo or redelivery. */
    boolean isFresh() {
        return isFirstAttempt()
                && delivery.refusal() == null
                && !redelivered()
                && delivery.message().deliveryCount() == 0
                && envelope().poisonVersion() == 0
                && envelope().undoes() == null;
    }

    /** Whether it waited in its node's store until it was due: a scheduled message, or an undo. */
    boolean wasKept() {
        return delivery.message().message().headers().containsKey(Headers.MADE_AT);
    }

    /** Whether it has failed before, as far as is known. */
    boolean hasFailedBefore() {
        return attempt() > 0 || failedBefore;
    }

    /** The saga it belongs to; {@code null} if that is its correlation id. */
    @Nullable
    String saga() {
        String partition = handling.key().correlationId();
        return handling.turn() != null || partition.equals(correlationId()) ? null : partition;
    }

    /** From now on {@link #hasFailedBefore}. */
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
        if (ending instanceof Handled handled && handled.expired() != null) {
            return handled.expired().failure();
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
    public @Nullable Instant deadline() {
        long deadline = deadlineMillis();
        return deadline == 0 ? null : Instant.ofEpochMilli(deadline);
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
