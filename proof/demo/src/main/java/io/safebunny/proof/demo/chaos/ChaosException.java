// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

/** A failure on purpose. */
final class ChaosException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ChaosException(String message) {
        super(message);
    }
}
