// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.handling.Surrounding;
import io.safebunny.middleware.PublishContext;
import io.safebunny.time.Deadline;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One publication on its way through the publish pipeline. Confined to the publishing thread until it is sent. */
final class Publication implements PublishContext {

    /** How the caller wants the action to end. */
    enum Mode {
        /** With the message being handled. */
        COLLECT,
        /** With the transaction that is open on this thread, if any; otherwise now. */
        SEND_AND_WAIT,
        /** Like {@link #SEND_AND_WAIT}, without waiting. */
        SEND_ASYNC,
        SEND_NOW
    }

    final Mode mode;
    final PublishOptions options;
    final @Nullable Surrounding surrounding;
    private final @Nullable Deadline deadline;
    private final Object payload;
    private final String type;
    private Map<String, Object> headers;
    private @Nullable String messageId;
    private @Nullable String correlationId;
    private boolean accepted;
    private volatile @Nullable Throwable failure;

    /** Set by the action in mode {@link Mode#SEND_ASYNC}. */
    @Nullable
    CompletableFuture<Void> sent;

    /** @param deadline {@code null} when it is collected */
    Publication(
            Mode mode,
            Object payload,
            String type,
            PublishOptions options,
            @Nullable Surrounding surrounding,
            @Nullable Deadline deadline) {
        this.mode = mode;
        this.deadline = deadline;
        this.payload = payload;
        this.type = type;
        this.options = options;
        this.surrounding = surrounding;
        this.headers = options.headers();
        this.correlationId = options.correlationId();
    }

    void identified(String id, String correlation) {
        messageId = id;
        correlationId = correlation;
    }

    /** The action has done what was asked; a run of it that fails afterwards does not undo that. */
    void accepted() {
        accepted = true;
    }

    /** Dropped unless the action was run to its end, whatever a middleware made of its failure. */
    Published published() {
        return accepted
                ? Published.as(
                        Objects.requireNonNull(messageId, "identified"),
                        Objects.requireNonNull(correlationId, "identified"))
                : Published.dropped();
    }

    void failed(@Nullable Throwable cause) {
        failure = cause;
    }

    /** Of all that happens from the call of {@code publish} to the confirm. */
    Deadline deadline() {
        return Objects.requireNonNull(deadline, "not when it is collected");
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
        return options.delay();
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
    public @Nullable Throwable failure() {
        return failure;
    }
}
