// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** Undoes {@link ReserveStock}. */
public record ReleaseStock(String orderId, long cents) {}
