// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** The publication itself is invalid (a header, an id, a size, a payload that cannot be serialized). Nothing was sent. */
public final class InvalidPublicationException extends SafeBunnyException {

    public InvalidPublicationException(String message) {
        this(message, null);
    }

    public InvalidPublicationException(String message, @Nullable Throwable cause) {
        super("SB-2005", message, cause);
    }
}
