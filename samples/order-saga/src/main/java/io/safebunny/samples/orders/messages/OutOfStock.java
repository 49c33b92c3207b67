// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The goods are not there, though they are paid for. Billing gives the money back. */
public record OutOfStock(String orderId, String customer, String sku, long totalCents) {}
