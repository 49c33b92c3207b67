// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.command;

/** The demo cannot do what was asked. The message explains why to a human, and contains no password. */
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
