// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.message.Envelope;

/**
 * SPI: transforms bodies between serializer and wire, for example to compress or encrypt them. Register it as a bean. It decodes
 * messages whose {@code content_encoding} names it, and encodes this node's publications if {@code safebunny.publisher.encoding}
 * names it. Implementations must be thread-safe and do no I/O, and should pass {@code BodyCodecContract} of {@code
 * safebunny-test}.
 *
 * <p>Duplicates are recognised by the decoded bytes, so encoding the same message twice may give different bytes. Retries and
 * poison messages keep the encoded bytes as delivered.
 */
public interface BodyCodec {

    /**
     * The {@code content_encoding}: {@code [a-z0-9][a-z0-9._+-]*}, at most 64 characters; not {@code identity} or {@code utf-8},
     * which mean no encoding.
     */
    String encoding();

    /**
     * @param message the message about to be sent, with its body serialized; must not be modified
     * @throws CodecException when the body cannot be encoded; the message is not published then
     */
    byte[] encode(Envelope message);

    /**
     * @param message with the body as delivered, which is untrusted. Its other properties are valid, but may be forged
     * @param maxSize limit of the result in bytes. A codec must stop as soon as it is exceeded, and must not trust a size stated
     *     in the body
     * @throws CodecException when the bytes are not in this codec's format, or {@link CodecException#tooLarge} when there are too
     *     many; the message goes to the poison queue. The exception's text must not quote the body
     */
    byte[] decode(Envelope message, long maxSize);
}
