// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The bad ending: declined, or refunded. */
public record OrderCancelled(String orderId, String customer, String reason) {}
