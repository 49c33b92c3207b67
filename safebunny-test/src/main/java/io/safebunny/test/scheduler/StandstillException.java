// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** A run does not come to its end. The message says what is still going on. */
public final class StandstillException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    StandstillException(String message) {
        super(message);
    }
}
