// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.handling.Surrounding;
import io.safebunny.message.MessageTypes;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of {@code publish} on its way through the pipeline. Confined to the publishing thread until it has been sent. */
final class PublishCall implements PublishContext {

    /** How the message is passed on. */
    enum Mode {
        /** Collected, and sent after the handler has succeeded. */
        COLLECT,
        /** Stored in the transaction that is open on this thread, if any; otherwise sent, and its confirm awaited. */
        SEND_AND_WAIT,
        /** Like {@link #SEND_AND_WAIT}, but without waiting for the confirm. */
        SEND_ASYNC,
        /** Sent even within a handling, and its confirm awaited. */
        SEND_NOW,
        /** Only created: the caller keeps it. */
        KEEP;

        boolean isSending() {
            return this != COLLECT && this != KEEP;
        }
    }

    final Mode mode;
    final PublishOptions options;
    final @Nullable Surrounding surrounding;
    private @Nullable Deadline deadline;
    private final Duration delay;
    private final Object payload;
    private final String type;
    private Map<String, Object> headers;
    private @Nullable String messageId;
    private @Nullable String correlationId;
    private @Nullable String undoes;
    private boolean accepted;
    private volatile @Nullable PublishOutcome outcome;
    private volatile @Nullable Throwable failure;

    /** Set by the action in mode {@link Mode#SEND_ASYNC} when the message was handed to the sender. */
    @Nullable
    CompletableFuture<Void> sent;

    /** Set by the action in mode {@link Mode#KEEP}. */
    @Nullable
    OutboundMessage kept;

    /** @param delay the delay from the options, or the time until their instant; zero if that has passed */
    PublishCall(Mode mode, Object payload, PublishOptions options, @Nullable Surrounding surrounding, Duration delay) {
        this.mode = mode;
        this.payload = payload;
        this.type = MessageTypes.nameOf(payload.getClass());
        this.options = options;
        this.surrounding = surrounding;
        this.delay = delay;
        this.headers = options.headers();
        this.correlationId = options.correlationId();
    }

    /**
     * Makes it an undo.
     *
     * @param id of the undo
     * @param step id of the message that it undoes
     */
    void undo(String id, String step) {
        messageId = id;
        undoes = step;
    }

    /** Id of the message that it undoes; {@code null} if it is no undo. */
    @Nullable
    String undoes() {
        return undoes;
    }

    void identified(String id, String correlation) {
        messageId = id;
        correlationId = correlation;
    }

    /** Records that the action has succeeded. It stays recorded even if a middleware runs the action again and that run fails. */
    void accepted() {
        accepted = true;
    }

    /** The result for the caller: dropped if the action never succeeded, even if a middleware swallowed its failure. */
    Published published() {
        return accepted
                ? Published.as(
                        Objects.requireNonNull(messageId, "identified"),
                        Objects.requireNonNull(correlationId, "identified"))
                : Published.dropped();
    }

    void ended(PublishOutcome how, @Nullable Throwable cause) {
        outcome = how;
        failure = cause;
    }

    /**
     * Sets the deadline for everything from the call of {@code publish} to the confirm. Messages that are collected or kept have no
     * deadline.
     */
    void deadline(Deadline untilConfirmed) {
        deadline = untilConfirmed;
    }

    Deadline deadline() {
        return Objects.requireNonNull(deadline, "not when it is collected or kept");
    }

    @Override
    public Object payload() {
        return payload;
    }

    @Override
    public String type() {
        return type;
    }

    @Override
    public @Nullable String messageId() {
        return messageId;
    }

    @Override
    public @Nullable String correlationId() {
        return correlationId;
    }

    @Override
    public Duration delay() {
        return delay;
    }

    /** The instant of delivery; {@code null} unless the caller set one in the future. */
    @Nullable
    Instant deliverAt() {
        return delay.isZero() ? null : options.deliverAt();
    }

    @Override
    public Map<String, Object> headers() {
        return Collections.unmodifiableMap(headers);
    }

    @Override
    public void header(String name, Object value) {
        if (headers == options.headers()) {
            headers = new LinkedHashMap<>(headers);
        }
        headers.put(name, value);
    }

    @Override
    public @Nullable PublishOutcome outcome() {
        return outcome;
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }
}
