// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How one message is published: {@link #none()} plus changes. Immutable. */
public final class PublishOptions {

    private static final PublishOptions NONE =
            new PublishOptions(null, null, Wait.NONE, null, null, null, Map.of(), false);

    private final @Nullable String correlationId;
    private final @Nullable String idempotencyKey;
    private final Wait wait;
    private final @Nullable Instant deadline;
    private final @Nullable Integer priority;
    private final @Nullable String orderKey;
    private final Map<String, Object> headers;
    private final boolean droppedIfUnheard;

    private PublishOptions(
            @Nullable String correlationId,
            @Nullable String idempotencyKey,
            Wait wait,
            @Nullable Instant deadline,
            @Nullable Integer priority,
            @Nullable String orderKey,
            Map<String, Object> headers,
            boolean droppedIfUnheard) {
        this.correlationId = correlationId;
        this.idempotencyKey = idempotencyKey;
        this.wait = wait;
        this.deadline = deadline;
        this.priority = priority;
        this.orderKey = orderKey;
        this.headers = headers;
        this.droppedIfUnheard = droppedIfUnheard;
    }

    public static PublishOptions none() {
        return NONE;
    }

    /**
     * @param id id of the saga: a UUID or {@code [A-Za-z0-9._:-]{1,64}}. Default: that of the message being handled; outside a
     *     handler, derived from the idempotency key, or random without a key
     */
    public PublishOptions withCorrelationId(String id) {
        return new PublishOptions(id, idempotencyKey, wait, deadline, priority, orderKey, headers, droppedIfUnheard);
    }

    /** @param key the message id is computed from it instead of the order of publishing: the same key gives the same id */
    public PublishOptions withIdempotencyKey(String key) {
        return new PublishOptions(correlationId, key, wait, deadline, priority, orderKey, headers, droppedIfUnheard);
    }

    /**
     * Replaces an earlier delay, and an earlier {@link #withDeliverAt}.
     *
     * @param duration how long the message waits before it can be consumed, from when it is sent: after the handler, or the commit;
     *     zero (the default) to 365 days
     */
    public PublishOptions withDelay(Duration duration) {
        return new PublishOptions(
                correlationId,
                idempotencyKey,
                new Wait(duration, null),
                deadline,
                priority,
                orderKey,
                headers,
                droppedIfUnheard);
    }

    /**
     * Replaces an earlier instant, and an earlier {@link #withDelay}. Unlike a delay, it does not shift when the transaction or
     * the broker is slow.
     *
     * @param instant earliest time at which the message can be consumed, by the node's clock; at most 365 days from now. A past
     *     instant means at once
     */
    public PublishOptions withDeliverAt(Instant instant) {
        return new PublishOptions(
                correlationId,
                idempotencyKey,
                new Wait(Duration.ZERO, instant),
                deadline,
                priority,
                orderKey,
                headers,
                droppedIfUnheard);
    }

    /**
     * Replaces an earlier deadline, and that of {@link BunnyMessage#validFor}. It is a header of the message: the node that receives the
     * message decides by its own clock, before each attempt. What a handler publishes does not inherit it.
     *
     * @param instant from when on the handling of the message is not begun any more; later than when it is published or due, and at most 365
     *     days after that
     */
    public PublishOptions withDeadline(Instant instant) {
        return new PublishOptions(
                correlationId, idempotencyKey, wait, instant, priority, orderKey, headers, droppedIfUnheard);
    }

    /**
     * Replaces an earlier priority, and that of {@link BunnyMessage#priority}. Copies of the message keep it: retries, replays, redeliveries.
     * What a handler publishes does not inherit it.
     *
     * <p>RabbitMQ orders the messages that wait in a queue by it, depending on its version: from 4.3 strictly, from 31 to 0; from 4.0 to 4.2
     * two of 5 or more before one of 0 to 4; before 4.0, and in memory, not at all. What a consumer has already fetched is not overtaken:
     * see {@code safebunny.prefetch}.
     *
     * @param value 0 to 31; messages without a priority count as 4
     */
    public PublishOptions withPriority(int value) {
        return new PublishOptions(
                correlationId, idempotencyKey, wait, deadline, value, orderKey, headers, droppedIfUnheard);
    }

    /**
     * Replaces an earlier key, and that of {@link BunnyMessage#orderBy}. Messages with one key take effect in the order in which they were
     * published, at handlers that are {@linkplain BunnyHandler#ordered ordered}; other handlers ignore it. What a handler publishes does not
     * inherit it.
     *
     * @param key 1 to 128 characters of {@code [A-Za-z0-9._:-]}; default: the correlation id
     */
    public PublishOptions withOrderKey(String key) {
        return new PublishOptions(
                correlationId, idempotencyKey, wait, deadline, priority, key, headers, droppedIfUnheard);
    }

    /**
     * @param name name of an application header, which must not begin with {@code sb-} or {@code x-}; the value must be a scalar
     */
    public PublishOptions withHeader(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new PublishOptions(
                correlationId,
                idempotencyKey,
                wait,
                deadline,
                priority,
                orderKey,
                Collections.unmodifiableMap(more),
                droppedIfUnheard);
    }

    /**
     * Silently drops the message if no queue is bound for it when it is sent. Without this option such a message is kept until
     * somebody consumes it, if there is a place to keep it (the handled message's record, the outbox); otherwise {@code publish}
     * fails with SB-2001. Cannot be combined with a delay or an instant, because only the broker would know later whether a queue
     * is bound.
     */
    public PublishOptions droppedIfUnheard() {
        return new PublishOptions(correlationId, idempotencyKey, wait, deadline, priority, orderKey, headers, true);
    }

    /** {@code null} by default. */
    public @Nullable String correlationId() {
        return correlationId;
    }

    /** {@code null} by default. */
    public @Nullable String idempotencyKey() {
        return idempotencyKey;
    }

    /** Zero if {@link #deliverAt} is set. */
    public Duration delay() {
        return wait.delay();
    }

    /** {@code null} by default. */
    public @Nullable Instant deliverAt() {
        return wait.deliverAt();
    }

    /** {@code null} by default. */
    public @Nullable Instant deadline() {
        return deadline;
    }

    /** {@code null} by default. */
    public @Nullable Integer priority() {
        return priority;
    }

    /** {@code null} by default. */
    public @Nullable String orderKey() {
        return orderKey;
    }

    /** The headers, unmodifiable. */
    public Map<String, Object> headers() {
        return headers;
    }

    /** See {@link #droppedIfUnheard()}. */
    public boolean isDroppedIfUnheard() {
        return droppedIfUnheard;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PublishOptions that
                && Objects.equals(correlationId, that.correlationId)
                && Objects.equals(idempotencyKey, that.idempotencyKey)
                && wait.equals(that.wait)
                && Objects.equals(deadline, that.deadline)
                && Objects.equals(priority, that.priority)
                && Objects.equals(orderKey, that.orderKey)
                && headers.equals(that.headers)
                && droppedIfUnheard == that.droppedIfUnheard;
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                correlationId, idempotencyKey, wait, deadline, priority, orderKey, headers, droppedIfUnheard);
    }

    /** Omits the keys and header values. */
    @Override
    public String toString() {
        return "PublishOptions[correlationId=%s, keyed=%s, delay=%s, deliverAt=%s, deadline=%s, priority=%s, headers=%s, droppedIfUnheard=%s]"
                .formatted(
                        correlationId,
                        idempotencyKey != null,
                        wait.delay(),
                        wait.deliverAt(),
                        deadline,
                        priority,
                        headers.keySet(),
                        droppedIfUnheard);
    }

    /** A delay or an instant, never both. */
    private record Wait(Duration delay, @Nullable Instant deliverAt) {

        static final Wait NONE = new Wait(Duration.ZERO, null);
    }
}
