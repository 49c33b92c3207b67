// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.message.PoisonReason;
import org.jspecify.annotations.Nullable;

/** A body that cannot be encoded or decoded. The message never contains the body. */
public final class CodecException extends SafeBunnyException {

    private final PoisonReason reason;

    public CodecException(String message, @Nullable Throwable cause) {
        this(message, cause, PoisonReason.MALFORMED_BODY);
    }

    private CodecException(String message, @Nullable Throwable cause, PoisonReason reason) {
        super("SB-3009", message, cause);
        this.reason = reason;
    }

    /** The body cannot be decrypted, with whatever key: it was changed, moved from another message, or is no ciphertext. */
    public static CodecException undecryptable(String message) {
        return new CodecException(message, null, PoisonReason.UNDECRYPTABLE);
    }

    /** The decoded body exceeds the limit. */
    public static CodecException tooLarge(String encoding, long maxSize) {
        return new CodecException(
                "Message too large [content_encoding=%s]: decoded, it has more than %s bytes. Set safebunny.max-message-size to more to accept it."
                        .formatted(encoding, maxSize),
                null,
                PoisonReason.TOO_LARGE);
    }

    public boolean isTooLarge() {
        return reason == PoisonReason.TOO_LARGE;
    }

    /** With which a message whose body cannot be decoded is set aside. */
    public PoisonReason reason() {
        return reason;
    }
}
