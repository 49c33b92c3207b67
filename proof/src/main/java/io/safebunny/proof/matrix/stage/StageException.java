// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import org.jspecify.annotations.Nullable;

/** A scenario did not go as written. */
final class StageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StageException(String message) {
        this(message, null);
    }

    StageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
