// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

/** Something happened that must not. */
public final class DeviationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DeviationException(String message) {
        super(message);
    }
}
