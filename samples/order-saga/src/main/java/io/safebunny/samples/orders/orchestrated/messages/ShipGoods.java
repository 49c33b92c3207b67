// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** To shipping: send the goods. */
public record ShipGoods(String orderId, long cents) {}
