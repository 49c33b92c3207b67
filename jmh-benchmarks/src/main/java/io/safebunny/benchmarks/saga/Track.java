// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import java.util.function.LongConsumer;

/** Three nodes that process sagas until closed. */
interface Track extends AutoCloseable {

    /** Begins a saga without blocking. */
    void begin(long begun) throws Exception;

    /** @param finish is given the begin time of each finished saga, on any thread */
    void onFinish(LongConsumer finish);

    @Override
    void close();
}
