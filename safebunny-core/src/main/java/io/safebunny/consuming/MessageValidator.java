// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.Serializers;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides whether a delivery is a message this queue's handler can take. Thread-safe. */
final class MessageValidator {

    private final HandlerDefinition handler;
    private final Set<String> typesOfNode;
    private final Serializers serializers;
    private final Timeline timeline;
    private final long maxMessageSize;
    private final @Nullable Duration retention;

    /** @param retention how long handled messages are remembered; {@code null} when they are not */
    MessageValidator(
            HandlerDefinition handler,
            Set<String> typesOfNode,
            Serializers serializers,
            Timeline timeline,
            long maxMessageSize,
            @Nullable Duration retention) {
        this.handler = handler;
        this.typesOfNode = typesOfNode;
        this.serializers = serializers;
        this.timeline = timeline;
        this.maxMessageSize = maxMessageSize;
        this.retention = retention;
    }

    /** @throws InvalidMessageException with the poison reason */
    Envelope envelope(WireMessage wire) {
        if (wire.body().length > maxMessageSize) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "Message too large [bytes=%d]: at most %d. Raise safebunny.max-message-size to take it."
                            .formatted(wire.body().length, maxMessageSize));
        }
        Envelope envelope = EnvelopeReader.read(wire);
        requireType(envelope.type());
        requireAge(envelope);
        return envelope;
    }

    private void requireType(String type) {
        if (type.equals(handler.type())) {
            return;
        }
        if (typesOfNode.contains(type)) {
            throw new InvalidMessageException(
                    PoisonReason.WRONG_QUEUE,
                    "Wrong queue [type=%s]: this queue carries %s. Publish through the main exchange with the key {node}-{Type}."
                            .formatted(type, handler.type()));
        }
        throw new InvalidMessageException(
                PoisonReason.UNKNOWN_TYPE,
                "Unknown type [type=%s]: this queue carries %s, and no handler of this node takes the other."
                        .formatted(Names.printable(type), handler.type()));
    }

    private void requireAge(Envelope envelope) {
        if (retention == null || envelope.sentAt() == 0) {
            return;
        }
        long age = timeline.now().toEpochMilli() - envelope.sentAt();
        if (age > retention.toMillis()) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_OLD,
                    "Message too old [age=%s, retention=%s]: whether it was handled before is no longer known. Check its effects, then publish it anew, or raise safebunny.dedup.retention."
                            .formatted(Duration.ofMillis(age), retention));
        }
    }

    /** @throws InvalidMessageException {@code malformed-body} */
    Object payload(Envelope envelope) {
        MessageSerializer serializer = serializers.readerOf(envelope.contentType());
        if (serializer == null) {
            throw new InvalidMessageException(
                    PoisonReason.MALFORMED_BODY,
                    "Unknown content type [%s]: no MessageSerializer of this node reads it."
                            .formatted(Names.printable(envelope.contentType())));
        }
        try {
            return serializer.deserialize(envelope.body(), handler.payloadType());
        } catch (SerializationException e) {
            throw new InvalidMessageException(PoisonReason.MALFORMED_BODY, e.messageWithoutCode(), e);
        }
    }
}
