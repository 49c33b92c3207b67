// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

/** Handles deliveries; called on up to {@code prefetch} threads at once. Returns when the delivery is settled or abandoned. */
@FunctionalInterface
public interface DeliveryHandler {

    void handle(Delivery delivery);
}
