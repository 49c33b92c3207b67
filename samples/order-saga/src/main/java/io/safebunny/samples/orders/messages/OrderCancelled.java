// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The other end: declined, or paid back. */
public record OrderCancelled(String orderId, String customer, String reason) {}
