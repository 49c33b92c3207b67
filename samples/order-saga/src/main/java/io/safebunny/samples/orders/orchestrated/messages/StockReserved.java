// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** The goods are kept. */
public record StockReserved(String orderId) {}
