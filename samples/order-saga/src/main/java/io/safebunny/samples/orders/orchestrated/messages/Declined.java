// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** A refusal: nothing was charged. */
public record Declined(String orderId) {}
