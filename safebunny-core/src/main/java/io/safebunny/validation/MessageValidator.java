// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.Node;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.transport.IncomingMessage;
import java.util.Set;
import java.util.function.Predicate;

/** Decides whether a delivery is a message that the handler of this queue can take. Thread-safe. */
public final class MessageValidator {

    /** For SafeBunny's own messages, independent of the application's serializers. */
    private static final MessageSerializer LIBRARY = new JsonMessageSerializer();

    private final Node node;
    private final HandlerDefinition handler;
    private final Set<String> typesOfNode;
    private final Serializers serializers;
    private final Codecs codecs;
    private final Predicate<String> hasCodec;
    private final AgeLimit ageLimit;
    private final long maxMessageSize;

    /** @param typesOfNode all types this node handles */
    public MessageValidator(Node node, HandlerDefinition handler, Set<String> typesOfNode, AgeLimit ageLimit) {
        this.node = node;
        this.handler = handler;
        this.typesOfNode = typesOfNode;
        this.serializers = node.parts().serializers();
        this.codecs = node.parts().codecs();
        this.hasCodec = encoding -> codecs.of(encoding) != null;
        this.ageLimit = ageLimit;
        this.maxMessageSize = node.options().maxMessageSize();
    }

    /** Takes messages of any age. */
    public MessageValidator ofAnyAge() {
        return new MessageValidator(node, handler, typesOfNode, new AgeLimit(node.timeline(), null));
    }

    /**
     * Checks everything but the payload; decodes the body.
     *
     * @throws InvalidMessageException with the poison reason
     */
    public Envelope check(IncomingMessage delivered) {
        Envelope envelope = envelope(delivered.message());
        node.options().trustedUsers().require(node.name(), handler.from(), delivered.user(), envelope);
        return decoded(envelope, delivered.message());
    }

    /**
     * Checks the properties; leaves the body as delivered.
     *
     * @throws InvalidMessageException with the poison reason
     */
    Envelope envelope(WireMessage wire) {
        if (wire.body().length > maxMessageSize) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "Message too large [bytes=%s]: at most %s. Raise safebunny.max-message-size to take it."
                            .formatted(wire.body().length, maxMessageSize));
        }
        Envelope envelope = EnvelopeReader.read(wire, hasCodec);
        requireType(envelope.type());
        if (!MessageTypes.isReserved(
                envelope.type())) { // repeats of SafeBunny's own messages are recognised at any age
            ageLimit.require(envelope);
        }
        return envelope.atAttempt(
                Math.min(envelope.attempt(), handler.recovery().delayed().maxRetries()));
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

    /**
     * Decodes the body. Call after the sender was checked, so that nothing is decoded for a sender who is not trusted.
     *
     * @throws InvalidMessageException {@code malformed-body}, or {@code too-large} if the decoded body is
     */
    Envelope decoded(Envelope envelope, WireMessage wire) {
        BodyCodec codec = codecs.of(wire.contentEncoding());
        if (codec == null) {
            return envelope;
        }
        try {
            return envelope.withBody(codec.decode(envelope, maxMessageSize));
        } catch (CodecException e) {
            throw new InvalidMessageException(
                    e.isTooLarge() ? PoisonReason.TOO_LARGE : PoisonReason.MALFORMED_BODY, e.messageWithoutCode(), e);
        }
    }

    /** @throws InvalidMessageException {@code malformed-body} */
    public Object payload(Envelope envelope) {
        MessageSerializer serializer =
                MessageTypes.isReserved(envelope.type()) ? LIBRARY : serializers.readerOf(envelope.contentType());
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
