// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Gates that handlers wait at. */
final class Gates {

    private Gates() {}

    /** Blocks a handler until the gate is open, but not for longer than a minute, so that no test leaves it blocked. */
    static void pass(CountDownLatch gate) {
        try {
            if (!gate.await(1, TimeUnit.MINUTES)) {
                throw new AssertionError("the gate was never opened");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
