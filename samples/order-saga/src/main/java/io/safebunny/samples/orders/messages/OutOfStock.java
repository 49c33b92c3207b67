// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/** The goods are paid for but out of stock. Billing refunds the money. */
public record OutOfStock(String orderId, String customer, String sku, long totalCents) {}
