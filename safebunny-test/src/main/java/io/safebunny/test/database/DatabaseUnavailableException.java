// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import org.jspecify.annotations.Nullable;

/** A test asked for a database server and it cannot be started; the message says what to do. */
public final class DatabaseUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DatabaseUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
