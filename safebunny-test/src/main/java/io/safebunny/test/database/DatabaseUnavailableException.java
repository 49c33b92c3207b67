// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import org.jspecify.annotations.Nullable;

/** A test needs a database, but there is none or it does not answer; the message says what to do. */
public final class DatabaseUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DatabaseUnavailableException(String message) {
        this(message, null);
    }

    DatabaseUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
