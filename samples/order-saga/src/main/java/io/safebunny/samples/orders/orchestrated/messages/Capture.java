// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** To billing: take the money. */
public record Capture(String orderId, String cardToken, long cents) {}
