// SPDX-License-Identifier: Apache-2.0
package io.safebunny.spi.codec;

import io.safebunny.message.Envelope;

/**
 * SPI: changes the bytes of messages between serializer and wire, by compressing or encrypting them for example. Register one as a
 * bean: it decodes what says in {@code content_encoding} that it was encoded by it, and encodes what this node publishes if
 * {@code safebunny.publisher.encoding} names it. Thread-safe; does no I/O. Every codec passes {@code BodyCodecContract} of
 * {@code safebunny-test}.
 *
 * <p>What is stored to recognise a repeat is computed from the decoded bytes, so encoding one message twice may give different bytes. Retries
 * and poison messages have the encoded bytes as they were delivered.
 */
public interface BodyCodec {

    /** The {@code content_encoding}: {@code [a-z0-9][a-z0-9._+-]*}, at most 64; not {@code identity} or {@code utf-8}, which mean none. */
    String encoding();

    /**
     * @param message about to be sent, with the serialized body; nothing may be changed
     * @throws CodecException when it cannot be encoded; the message is not published
     */
    byte[] encode(Envelope message);

    /**
     * @param message with the body as delivered, by anybody; its other properties are valid, but their sender may have forged them
     * @param maxSize in bytes of the result. A codec stops as soon as there are more, whatever the body says of its size
     * @throws CodecException when the bytes are not of this codec, or {@link CodecException#tooLarge} when they become too many; the
     *     message goes to the poison queue. Its text has nothing of the body
     */
    byte[] decode(Envelope message, long maxSize);
}
