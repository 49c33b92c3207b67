// SPDX-License-Identifier: Apache-2.0
package io.safebunny.bodies;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/**
 * A body store does not answer at the moment. Messages whose bodies are in it come back without costing an attempt, and their type is
 * paused for some seconds.
 */
public final class BodyStoreUnavailableException extends SafeBunnyException {

    /** @param message which store, and what to check */
    public BodyStoreUnavailableException(String message, @Nullable Throwable cause) {
        super("SB-3020", message, cause);
    }
}
