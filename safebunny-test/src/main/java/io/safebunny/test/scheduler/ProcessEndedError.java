// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.scheduler;

/** The process of this stack has ended. Code that catches it and continues gets it again. */
public final class ProcessEndedError extends Error {

    private static final long serialVersionUID = 1L;

    ProcessEndedError(String process) {
        super(process + " has ended", null, false, false);
    }
}
