// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/** A body that cannot be encoded or decoded. The message never contains the body. */
public final class CodecException extends SafeBunnyException {

    private final boolean tooLarge;

    public CodecException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private CodecException(String message, @Nullable Throwable cause, boolean tooLarge) {
        super("SB-3009", message, cause);
        this.tooLarge = tooLarge;
    }

    /** The decoded body exceeds the limit. */
    public static CodecException tooLarge(String encoding, long maxSize) {
        return new CodecException(
                "Message too large [content_encoding=%s]: decoded, it has more than %s bytes. Set safebunny.max-message-size to more to accept it."
                        .formatted(encoding, maxSize),
                null,
                true);
    }

    public boolean isTooLarge() {
        return tooLarge;
    }
}
