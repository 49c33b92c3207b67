// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The good end. */
public record OrderCompleted(String orderId, String customer) {}
