// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import java.util.function.Consumer;

/** A library that runs the sagas of orders until it is closed. Thread-safe. */
interface OrderPeer extends AutoCloseable {

    /** Begins the saga of an order; returns when it is certain to be carried out. */
    void begin(String order) throws Exception;

    /** @param end is given each order whose saga has come to its end or has been undone, on any thread, before the last commit */
    void onEnd(Consumer<String> end);

    @Override
    void close() throws Exception;
}
