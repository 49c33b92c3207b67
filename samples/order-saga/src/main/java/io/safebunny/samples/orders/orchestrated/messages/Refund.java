// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** Undoes {@link Capture}. */
public record Refund(String orderId, long cents) {}
