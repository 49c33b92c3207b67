// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix.stage;

import org.jspecify.annotations.Nullable;

/** A scenario did not go as written. */
public final class StageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public StageException(String message) {
        this(message, null);
    }

    public StageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
