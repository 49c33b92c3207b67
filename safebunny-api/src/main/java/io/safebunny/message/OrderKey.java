// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.safebunny.failure.MisuseException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * What messages have in common that must take effect in the order in which they were published. Immutable.
 *
 * @param value {@code [A-Za-z0-9._:-]{1,128}}
 */
public record OrderKey(String value) {

    /** @throws MisuseException SB-5001 if the value does not have the syntax of a key */
    public OrderKey {
        if (!isValid(value)) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid order key [%s]: it must have 1 to 128 characters of [A-Za-z0-9._:-]. Use an id, or a hash of what is to be kept in order."
                            .formatted(Names.printable(value)));
        }
    }

    /**
     * Reads the key of an incoming, unchecked message: the header {@value Headers#ORDER_KEY}, or else the correlation id.
     *
     * @return {@code null} if it is not a key
     */
    public static @Nullable OrderKey of(WireMessage message) {
        Object given = message.headers().containsKey(Headers.ORDER_KEY)
                ? message.headers().get(Headers.ORDER_KEY)
                : message.correlationId();
        return given instanceof String key && isValid(key) ? new OrderKey(key) : null;
    }

    /**
     * Whether an incoming, unchecked message waits for all that were delivered before it to the same consumption: it has the header
     * {@value Headers#MARK}, and no readable key.
     */
    public static boolean waitsForAll(WireMessage message) {
        return message.headers().containsKey(Headers.MARK) && of(message) == null;
    }

    /**
     * Whether an incoming, unchecked message may begin before one with its key that is {@linkplain io.safebunny.transport.Delivery#keep
     * kept}: it was moved back from the poison queue, or it is an undo. What is kept may be waiting for just that.
     */
    public static boolean passesKept(WireMessage message) {
        return message.headers().containsKey(Headers.POISONED_AT)
                || message.headers().containsKey(Headers.UNDOES);
    }

    /** {@code [A-Za-z0-9._:-]{1,128}}. */
    public static boolean isValid(String key) {
        return Names.isMessageId(key); // same syntax, same length
    }

    /** Which of 256 parts of all keys it belongs to; the same everywhere and for ever: the first byte of the value's SHA-256. */
    public int bucket() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8))[0] & 0xFF;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
