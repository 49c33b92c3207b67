// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** A run does not end. The message says what is still running. */
public final class StandstillException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    StandstillException(String message) {
        super(message);
    }
}
