// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

/** The money is taken. */
public record Captured(String orderId) {}
