// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The bank said no; nothing was charged. */
public record PaymentDeclined(String orderId, String customer) {}
