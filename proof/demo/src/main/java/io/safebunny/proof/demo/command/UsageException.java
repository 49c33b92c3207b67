// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo;

/** The demo cannot do what was asked. The message explains why to a human, and contains no password. */
final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
