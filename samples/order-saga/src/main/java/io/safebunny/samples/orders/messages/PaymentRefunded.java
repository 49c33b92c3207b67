// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The customer has been refunded. */
public record PaymentRefunded(String orderId, String customer, String reason) {}
