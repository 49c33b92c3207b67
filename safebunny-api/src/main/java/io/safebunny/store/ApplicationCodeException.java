// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.SafeBunnyException;
import org.jspecify.annotations.Nullable;

/**
 * Application code that supplies the store's connections or transactions failed: a tenant resolver, a {@code DataSource}, a
 * transaction manager. It does not mean that the database is unreachable, so this counts as a failure of the handler and does not
 * pause the type. The store has done nothing.
 */
public final class ApplicationCodeException extends SafeBunnyException {

    public ApplicationCodeException(String message, @Nullable Throwable cause) {
        super("SB-3015", message, cause);
    }
}
