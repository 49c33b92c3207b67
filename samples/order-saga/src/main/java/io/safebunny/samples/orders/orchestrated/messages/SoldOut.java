// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** A refusal: nothing was reserved. */
public record SoldOut(String orderId, String sku) {}
