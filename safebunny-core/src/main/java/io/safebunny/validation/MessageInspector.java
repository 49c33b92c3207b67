// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.saga.execution.Correlation;
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

    public MessageInspector(
            Node node, HandlerDefinition handler, MessageValidator validator, @Nullable Correlation correlation) {
        this.validator = validator;
        this.ageLimit = AgeLimit.of(node);
        this.correlation = correlation;
        this.checksSenders = node.options().trustedUsers().isChecked(handler.from());
    }

    /**
     * @param message the message, with its body decoded
     * @param payload what its handler would get
     * @param key key of its record
     * @param tooOld whether the message is older than the retention of records
     */
    public record Inspected(Envelope message, Object payload, RecordKey key, boolean tooOld) {}

    /** Whether the queue accepts messages only from certain users of the broker. A copy no longer proves who sent the message. */
    public boolean checksSenders() {
        return checksSenders;
    }

    /**
     * Decodes the body, which may still not be a payload of the handler.
     *
     * @throws InvalidMessageException if the body cannot even be decoded
     */
    public Envelope decoded(WireMessage wire) {
        return validator.decoded(validator.envelope(wire), wire);
    }

    /** @throws InvalidMessageException if the queue would refuse the message, whatever its age */
    public Inspected inspect(WireMessage wire) {
        Envelope message = decoded(wire);
        Object payload = validator.payload(message);
        Membership membership = correlation == null ? null : correlation.of(message, payload);
        boolean tooOld =
                !MessageTypes.isReserved(message.type()) && ageLimit.of(message).isExceededIn(Duration.ZERO);
        return new Inspected(message, payload, Membership.keyOf(message, membership), tooOld);
    }

    /**
     * Why the saga of the message would ignore it now and ever after; {@code null} if it may not, or the message has none.
     *
     * @param stored finds the record of a saga
     */
    public @Nullable String ignored(Inspected inspected, Function<RecordKey, @Nullable MessageRecord> stored) {
        return correlation == null ? null : correlation.ignores(inspected.message, inspected.payload, stored);
    }
}
