// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

/** Something happened that must not. */
public final class DeviationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DeviationException(String message) {
        super(message);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need another library
    static void require(boolean condition, String otherwise, Object... arguments) {
        if (!condition) {
            throw new DeviationException(otherwise.formatted(arguments));
        }
    }
}
