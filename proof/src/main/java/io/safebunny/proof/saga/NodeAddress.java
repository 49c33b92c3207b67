// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

/**
 * @param node name of the node
 * @param prefix prefix of all exchanges and delay queues
 * @param broker URI of the broker, with user and password
 */
public record NodeAddress(String node, String prefix, String broker) {

    @Override
    public String toString() {
        return node;
    }
}
