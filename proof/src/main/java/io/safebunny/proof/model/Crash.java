// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

/** The process of an instance has ended. An error, so that nothing takes it for a failure of the application. */
final class Crash extends Error {

    private static final long serialVersionUID = 1L;

    Crash() {
        super("this instance has ended", null, false, false);
    }
}
