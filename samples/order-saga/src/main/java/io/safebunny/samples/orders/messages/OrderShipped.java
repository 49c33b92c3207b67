// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The goods are on their way. */
public record OrderShipped(String orderId, String customer) {}
