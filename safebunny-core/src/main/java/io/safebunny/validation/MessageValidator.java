// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.message.Encodings;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.NotYetReadableException;
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
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
    private final BodyVersions versions;
    /** Without which no message is taken; {@code null} if none is needed. */
    private final @Nullable BodyCodec needed;

    private final AgeLimit ageLimit;
    private final long maxMessageSize;

    /** @param typesOfNode all types this node handles */
    public MessageValidator(Node node, HandlerDefinition handler, Set<String> typesOfNode, AgeLimit ageLimit) {
        this.node = node;
        this.handler = handler;
        this.typesOfNode = typesOfNode;
        this.serializers = node.parts().serializers();
        this.codecs = node.parts().codecs();
        this.hasCodec = codecs::isKnown;
        this.versions = BodyVersions.of(handler.payloadType());
        this.needed = codecs.needed(handler.payloadClass());
        this.ageLimit = ageLimit;
        this.maxMessageSize = node.options().maxMessageSize();
    }

    /** Takes messages of any age. */
    public MessageValidator ofAnyAge() {
        return new MessageValidator(node, handler, typesOfNode, new AgeLimit(node.timeline(), null));
    }

    /**
     * Checks everything but the body.
     *
     * @throws InvalidMessageException with the poison reason
     */
    public Envelope check(IncomingMessage delivered) {
        Envelope envelope = envelope(delivered.message());
        node.options().trustedUsers().require(node.name(), handler.from(), delivered.user(), envelope);
        return envelope;
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
     * Fetches the body if it is kept elsewhere, and decodes it. Call after the sender was checked, so that nothing is fetched or decoded for a sender who is not trusted.
     *
     * @throws InvalidMessageException {@code malformed-body}, {@code undecryptable}, {@code not-encrypted}, {@code invalid-claim}, or {@code
     *     too-large} if the decoded body is
     * @throws NotYetReadableException if its key, or the body itself, is missing
     * @throws NotHandledException if keys or body cannot be had at the moment
     */
    public Envelope decoded(Envelope envelope) {
        requireNeeded(envelope);
        try {
            Envelope decoded = codecs.decoded(envelope, maxMessageSize);
            return needed == null ? decoded : decoded.withSecretHash(needed.secretHash(decoded));
        } catch (KeysUnavailableException e) {
            throw NotHandledException.withoutKeys(e);
        } catch (BodyStoreUnavailableException e) {
            throw NotHandledException.withoutBodies(e);
        } catch (CodecException e) {
            throw new InvalidMessageException(e.reason(), e.messageWithoutCode(), e);
        }
    }

    boolean isHidden(WireMessage wire) {
        return codecs.isHidden(Encodings.of(wire.contentEncoding()));
    }

    private void requireNeeded(Envelope envelope) {
        if (needed != null && !envelope.encodings().contains(needed.encoding()) && !needed.takesPlain(envelope)) {
            throw new InvalidMessageException(
                    PoisonReason.NOT_ENCRYPTED,
                    "Not encrypted [type=%s, content_encoding=%s]: messages of this type need the encoding %s. Has its sender's class @Encrypted? While a type changes over, name it in safebunny.encryption.accept-clear."
                            .formatted(
                                    envelope.type(),
                                    Names.printable(String.join(", ", envelope.encodings())),
                                    needed.encoding()));
        }
    }

    /**
     * Reads the body, upcast to the version of the payload's class.
     *
     * @param envelope with its body decoded
     * @throws InvalidMessageException {@code malformed-body}
     * @throws NotHandledException if only another version of the application can read it
     */
    public Object payload(Envelope envelope) {
        int version = envelope.version();
        requireKnown(envelope, version);
        MessageSerializer serializer =
                MessageTypes.isReserved(envelope.type()) ? LIBRARY : serializers.readerOf(envelope.contentType());
        if (serializer == null) {
            throw new InvalidMessageException(
                    PoisonReason.MALFORMED_BODY,
                    "Unknown content type [%s]: no MessageSerializer of this node reads it. %s"
                            .formatted(
                                    Names.printable(envelope.contentType()),
                                    Serializers.toRead(envelope.contentType())));
        }
        try {
            return version < versions.present()
                    ? upcast(envelope, serializer)
                    : serializer.deserialize(envelope.body(), handler.payloadType());
        } catch (SerializationException e) {
            throw new InvalidMessageException(PoisonReason.MALFORMED_BODY, e.messageWithoutCode(), e);
        }
    }

    /** Upcasters know JSON alone, so what they made of another format is read as JSON. */
    private Object upcast(Envelope envelope, MessageSerializer serializer) {
        byte[] json = serializer.toJson(envelope.body());
        MessageSerializer reader = json == null ? serializer : serializers.readerOf(Serializers.JSON_TYPE);
        return Objects.requireNonNullElse(reader, serializer)
                .deserialize(
                        json == null
                                ? versions.upcast(envelope.body(), envelope.version(), envelope.contentType())
                                : versions.upcast(json, envelope.version(), Serializers.JSON_TYPE),
                        handler.payloadType());
    }

    private void requireKnown(Envelope envelope, int version) {
        if (version > versions.present()) {
            throw NotHandledException.byThisVersion(
                    "The body of message %s of type %s has version %s, but this instance only knows %s: the message waits for an instance of a newer version. If there is none, deploy one whose @BunnyMessage(version) is at least that"
                            .formatted(envelope.id(), envelope.type(), version, versions.present()));
        }
    }
}
