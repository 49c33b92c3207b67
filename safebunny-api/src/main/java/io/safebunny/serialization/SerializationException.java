// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/** A payload that cannot be written or read. The message never contains the payload. */
public final class SerializationException extends SafeBunnyException {

    public SerializationException(String message, @Nullable Throwable cause) {
        super("SB-3004", message, cause);
    }
}
