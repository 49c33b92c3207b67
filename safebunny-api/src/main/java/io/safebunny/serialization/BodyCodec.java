// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * SPI: transforms bodies between serializer and wire, for example to compress or encrypt them. Register it as a bean. It decodes
 * messages whose {@code content_encoding} names it, and encodes this node's publications if {@code safebunny.publisher.encoding}
 * names it. A node has a {@link GzipCodec} unless there is a bean for gzip. Implementations must be thread-safe and do no I/O, and should pass {@code BodyCodecContract} of {@code
 * safebunny-test}.
 *
 * <p>Duplicates are recognised by the decoded bytes, so encoding the same message twice may give different bytes. Retries and
 * poison messages keep the encoded bytes as delivered.
 *
 * <p>A body may pass through several codecs ({@code gzip, x-mine}), and is decoded in reverse order. Each of them sees what the one
 * before it made, and at most {@code safebunny.max-message-size} of it.
 *
 * <p>Encoding is the last step of making a message. A codec may bind the body to these, for example as additional authenticated data,
 * because {@link #decode} sees what {@link #encode} saw, in retries, replays, undos, scheduled and forwarded messages, too:
 *
 * <ul>
 *   <li>id, correlation id, causation id, type, node, marker, {@code undoes}, content type, encodings;
 *   <li>{@link Envelope#orderKey()}; {@link Envelope#madeAt()};
 *   <li>the application's headers: names, classes and values, in any order.
 * </ul>
 *
 * <p>Not to these, which copies change:
 *
 * <ul>
 *   <li>{@code attempt}, which counts retries, and {@code poisonVersion}, which only replays have;
 *   <li>{@code sentAt}: a scheduled message, an undo, and a replay of what is too old count as sent when they are sent. {@code madeAt} is
 *       what it was at first;
 *   <li>{@code sb-deadline} (in {@code carried}): replays have none, and a scheduled message that is moved has its deadline moved with it;
 *   <li>anything else in {@code carried}: copies add headers to it, also those of later versions;
 *   <li>{@code trace}: what is between sender and receiver may write it, and an invalid one is dropped.
 * </ul>
 */
public interface BodyCodec {

    /**
     * The {@code content_encoding}: {@code [a-z0-9][a-z0-9._+-]*}, at most 64 characters; not {@code identity} or {@code utf-8},
     * which mean no encoding.
     */
    String encoding();

    /**
     * Whether those who see the encoded body do not learn what it says, as with encryption. Compressing it first tells them something
     * nevertheless, by its length, so that needs {@code safebunny.bodies.compress-encrypted}.
     */
    default boolean hidesContent() {
        return false;
    }

    /**
     * @param message the message about to be sent, with its body serialized, or as the codec before this one has encoded it; must not be
     *     modified
     * @throws CodecException when the body cannot be encoded; the message is not published then
     * @throws UnknownKeyException when a key is missing; the message is not published then
     * @throws KeysUnavailableException when keys cannot be had at the moment. In a handler, its message then comes back without costing an
     *     attempt
     */
    byte[] encode(Envelope message);

    /**
     * @param message with the body as delivered, or as the codec after this one has decoded it, which is untrusted. Its other properties
     *     are valid, but may be forged
     * @param maxSize limit of the result in bytes. A codec must stop as soon as it is exceeded, and must not trust a size stated
     *     in the body
     * @throws CodecException when the bytes are not in this codec's format, or {@link CodecException#tooLarge} when there are too
     *     many; the message goes to the poison queue. The exception's text must not quote the body
     * @throws UnknownKeyException when a key is missing; the message comes back with the delayed retries of its handler, and then goes to
     *     the poison queue
     * @throws KeysUnavailableException when keys cannot be had at the moment; the message comes back without costing an attempt, and its
     *     type is paused for some seconds
     * @throws SubjectErasedException when the key of its person was destroyed; the message ends unhandled, and nothing is set aside
     */
    byte[] decode(Envelope message, long maxSize);

    /**
     * The codec that must encode the messages of a class, after those of {@code safebunny.publisher.encoding}; {@code null}, the default, if
     * it needs none. Where a handler takes this class, messages without this codec's encoding are refused before anything reads their bodies,
     * unless {@link #takesPlain} accepts them. Asked once for each class.
     */
    default @Nullable BodyCodec of(Class<?> payload) {
        return null;
    }

    /**
     * The codec that encodes the body of this one payload, asked of the codec that a class {@linkplain #of needs} before each {@link #encode}.
     * Also for what is stored beside a message: then the payload is that of the message, or the state of a saga. Default: the same codec.
     *
     * @param payload to be asked only by a codec whose encoding depends on it, because it may have to be read for that
     * @throws InvalidPublicationException when it cannot be encoded as it is; it is not published then
     */
    default BodyCodec ofPayload(Supplier<?> payload) {
        return this;
    }

    /**
     * By what the store recognises the body, where a hash that anybody can compute would tell too much of it; {@code null}, the default, for
     * such a hash. Asked of the codec that a class {@linkplain #of needs}, when the body has been decoded.
     *
     * <p>The first four bytes name the secret that is in the hash: where they differ, bodies are not compared, and count as the same. The
     * others should depend on what {@link io.safebunny.store.record.Fingerprint#compared} gives, and on the message's id, so that nobody
     * learns which messages say the same.
     *
     * @param decoded the message with its decoded body
     * @return 16 bytes
     * @throws KeysUnavailableException when keys cannot be had at the moment; as in {@link #decode}
     */
    default byte @Nullable [] secretHash(Envelope decoded) {
        return null;
    }

    /**
     * The key that is needed to decode a body, told without that key; {@code null}, the default, if none is, or these bytes are not of this
     * codec.
     *
     * @param beginning the first bytes of an encoded body, at least the first 256 if it has as many
     */
    default @Nullable String keyIdOf(byte[] beginning) {
        return null;
    }

    /** The keys with which this instance encodes bodies now, by their ids. May ask a key service. Default: none. */
    default Set<String> encodesWith() {
        return Set.of();
    }

    /**
     * Whether the codec has a key of this id, so that a person who misspells one is told. May ask a key service. Default: it has those with
     * which it encodes now.
     *
     * @throws KeysUnavailableException when the key service does not answer
     */
    default boolean knowsKey(String keyId) {
        return encodesWith().contains(keyId);
    }

    /**
     * The keys of what the codec itself keeps, such as keys of persons, with how much is kept under each. May read all of that. Default: it
     * keeps nothing.
     *
     * @return {@code null} if it cannot tell
     * @throws KeysUnavailableException when the place where it is does not answer
     */
    default @Nullable Map<String, Long> keepsUnder() {
        return Map.of();
    }

    /** Whether a message whose class {@linkplain #of needs} this codec is taken although it arrives without its encoding. Default: no. */
    default boolean takesPlain(Envelope message) {
        return false;
    }
}
