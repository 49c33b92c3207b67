// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Node;
import io.safebunny.saga.running.Correlation;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks messages as the queue of a handler does, without handling them. Thread-safe. */
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
     * @param message with its body decoded
     * @param key of its record
     * @param tooOld whether it is older than the retention of records
     */
    public record Inspected(Envelope message, RecordKey key, boolean tooOld) {}

    /** Whether the queue accepts certain users of the broker only; a copy no longer proves who sent it. */
    public boolean checksSenders() {
        return checksSenders;
    }

    /**
     * Decodes the body, which may still not be a payload of the handler.
     *
     * @throws InvalidMessageException it cannot even be decoded
     */
    public Envelope decoded(WireMessage wire) {
        return validator.decoded(validator.envelope(wire), wire);
    }

    /** @throws InvalidMessageException the queue would refuse it, whatever its age */
    public Inspected inspect(WireMessage wire) {
        Envelope message = decoded(wire);
        Object payload = validator.payload(message);
        Membership membership = correlation == null ? null : correlation.of(message, payload);
        boolean tooOld =
                !MessageTypes.isReserved(message.type()) && ageLimit.of(message).isExceededIn(Duration.ZERO);
        return new Inspected(message, Membership.keyOf(message, membership), tooOld);
    }
}
