// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** Thrown in a task whose process has ended. Code that catches this and continues gets it again. */
public final class ProcessEndedError extends Error {

    private static final long serialVersionUID = 1L;

    ProcessEndedError(String process) {
        super(process + " has ended", null, false, false);
    }
}
