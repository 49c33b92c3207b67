// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.SafeBunnyException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The store did not answer, or asks the caller to wait. A write may or may not have taken effect. */
public final class StoreUnavailableException extends SafeBunnyException {

    private final transient @Nullable Duration retryAfter;

    /** @param retryAfter how long the store asks callers to wait; {@code null} if it does not say */
    public StoreUnavailableException(String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super("SB-4001", message, cause);
        this.retryAfter = retryAfter;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
