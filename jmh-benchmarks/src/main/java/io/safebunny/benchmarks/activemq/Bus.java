// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.activemq;

/** A broker with {@link Stress#RECEIVERS} receivers, each with its own queue. */
interface Bus extends AutoCloseable {

    /** Sends one message and returns when the broker has it safe. */
    @FunctionalInterface
    interface Sender {
        void send(int receiver) throws Exception;
    }

    /** A sender for use by one thread. */
    Sender sender() throws Exception;
}
