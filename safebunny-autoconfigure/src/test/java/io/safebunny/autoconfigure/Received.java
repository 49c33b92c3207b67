// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What handlers saw, for the test to wait for. */
public final class Received<T> {

    private final BlockingQueue<T> values = new LinkedBlockingQueue<>();

    public void add(T value) {
        values.add(value);
    }

    /** Fails after ten seconds. */
    public T next() throws InterruptedException {
        T value = values.poll(10, TimeUnit.SECONDS);
        if (value == null) {
            throw new AssertionError("Nothing was received for 10 s");
        }
        return value;
    }

    public int waiting() {
        return values.size();
    }
}
