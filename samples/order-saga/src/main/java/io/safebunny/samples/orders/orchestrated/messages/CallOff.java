// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** Undoes {@link ShipGoods}: stops the parcel, or takes it back. */
public record CallOff(String orderId, long cents) {}
