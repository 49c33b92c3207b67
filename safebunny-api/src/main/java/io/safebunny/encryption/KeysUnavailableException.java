// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/**
 * Keys cannot be had at the moment, for example because a key service does not answer. Messages that need them come back without costing an
 * attempt, and their type is paused for some seconds.
 */
public final class KeysUnavailableException extends SafeBunnyException {

    /** @param message who does not answer, and what to check; never key material */
    public KeysUnavailableException(String message, @Nullable Throwable cause) {
        super("SB-3019", message, cause);
    }
}
