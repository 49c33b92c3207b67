// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

/** Two runs of one schedule differ. */
public final class NotDeterministicException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public NotDeterministicException(String message) {
        super(message);
    }
}
