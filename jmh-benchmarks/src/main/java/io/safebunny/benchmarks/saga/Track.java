// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import java.util.function.LongConsumer;

/** Three nodes that work on sagas until they are closed. */
interface Track extends AutoCloseable {

    /** Begins a saga without waiting for anything. */
    void begin(long begun) throws Exception;

    /** @param finish gets the beginning of each saga that ends, on any thread */
    void onFinish(LongConsumer finish);

    @Override
    void close();
}
