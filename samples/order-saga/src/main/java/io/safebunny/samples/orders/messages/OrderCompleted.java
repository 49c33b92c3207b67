// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The happy ending. */
public record OrderCompleted(String orderId, String customer) {}
