// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/**
 * Code of the application failed from which the store gets its connections or transactions: a resolver of tenants, a {@code DataSource}, a
 * transaction manager. Nothing says that the database is away, so this counts as a failure of the handler, and pauses no type. The store has
 * done nothing.
 */
public final class ApplicationCodeException extends SafeBunnyException {

    public ApplicationCodeException(String message, @Nullable Throwable cause) {
        super("SB-3015", message, cause);
    }
}
