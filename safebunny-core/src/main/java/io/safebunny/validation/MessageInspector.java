// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.OrderKey;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.saga.execution.Correlation;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Checks messages in the same way as the queue of a handler, without handling them. Thread-safe. */
public final class MessageInspector {

    private final MessageValidator validator;
    private final AgeLimit ageLimit;
    private final @Nullable Correlation correlation;
    private final boolean checksSenders;
    private final HandlerDefinition handler;
    private final String queue;
    private final String address;

    public MessageInspector(
            Node node, HandlerDefinition handler, MessageValidator validator, @Nullable Correlation correlation) {
        this.validator = validator;
        this.ageLimit = AgeLimit.of(node);
        this.correlation = correlation;
        this.handler = handler;
        this.queue = handler.queue(node.name());
        this.address = Names.address(node.name(), handler.type());
        this.checksSenders = node.options().trustedUsers().isChecked(handler.from());
    }

    /**
     * @param message the message, with its body decoded
     * @param payload what its handler would get; {@code null} if nobody can read that any more
     * @param key key of its record
     * @param tooOld whether the message is older than the retention of records
     */
    public record Inspected(Envelope message, @Nullable Object payload, RecordKey key, boolean tooOld) {}

    /** The queue of the handler. */
    public String queue() {
        return queue;
    }

    /** With this key, what is sent to the queue gets there. */
    public String address() {
        return address;
    }

    /**
     * Whether the record of the message is kept under another key than before, so that nobody knows what became of it.
     *
     * @param before the queue in which the message was
     */
    public boolean isUnknownSince(String before, WireMessage wire) {
        OrderKey key = OrderKey.of(wire);
        return !before.equals(queue) && (key == null || !key.value().equals(wire.correlationId()));
    }

    /** Whether the queue accepts messages only from certain users of the broker. A copy no longer proves who sent the message. */
    public boolean checksSenders() {
        return checksSenders;
    }

    /** Whether a codec hides the content of the body. */
    public boolean isHidden(WireMessage wire) {
        return validator.isHidden(wire);
    }

    /**
     * Decodes the body, which may still not be a payload of the handler.
     *
     * @throws InvalidMessageException if the body cannot even be decoded
     */
    public Envelope decoded(WireMessage wire) {
        return validator.decoded(validator.envelope(wire));
    }

    /**
     * Reads the message as its handler would get it.
     *
     * @throws InvalidMessageException if the queue would refuse the message, whatever its age
     * @throws NotHandledException if only another version of the application can read it
     */
    public Inspected inspect(WireMessage wire) {
        Envelope message = decoded(wire);
        Object payload = validator.payload(message);
        return inspected(message, payload, wire, correlation == null ? null : correlation.of(message, payload));
    }

    /**
     * What is known of a message that nobody can read any more.
     *
     * @throws InvalidMessageException if the queue would refuse the message, whatever its age
     */
    public Inspected inspectErased(WireMessage wire) {
        Envelope message = validator.envelope(wire).withSecretHash(Fingerprint.unreadable());
        return inspected(message, null, wire, null);
    }

    private Inspected inspected(
            Envelope message, @Nullable Object payload, WireMessage wire, @Nullable Membership membership) {
        OrderKey order = handler.orderKey(message, wire);
        RecordKey key =
                order == null ? Membership.keyOf(message, membership) : new RecordKey(order.value(), message.id());
        boolean tooOld =
                !MessageTypes.isReserved(message.type()) && ageLimit.of(message).isExceededIn(Duration.ZERO);
        return new Inspected(message, payload, key, tooOld);
    }

    /**
     * Why the saga of the message would ignore it now and ever after; {@code null} if it may not, or the message has none.
     *
     * @param stored finds the record of a saga
     */
    public @Nullable String ignored(Inspected inspected, Function<RecordKey, @Nullable MessageRecord> stored) {
        return correlation == null || inspected.payload == null
                ? null
                : correlation.ignores(inspected.message, inspected.payload, stored);
    }
}
