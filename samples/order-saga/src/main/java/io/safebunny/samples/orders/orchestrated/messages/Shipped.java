// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** The goods are on their way. */
public record Shipped(String orderId) {}
