// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

/** A broker with {@link Stress#RECEIVERS} receivers, each with a queue of its own. */
interface Bus extends AutoCloseable {

    /** Sends one message and returns when it is safe. */
    @FunctionalInterface
    interface Sender {
        void send(int receiver) throws Exception;
    }

    /** For one thread. */
    Sender sender() throws Exception;
}
