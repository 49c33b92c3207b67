// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.saga;

/**
 * @param node its name
 * @param prefix of all exchanges, and of the queues that delay
 * @param broker as a URI with user and password
 */
public record NodeAddress(String node, String prefix, String broker) {

    @Override
    public String toString() {
        return node;
    }
}
