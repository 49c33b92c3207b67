// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

import java.util.List;

/** The card is charged; the goods can go out. */
public record PaymentCaptured(String orderId, String customer, List<OrderLine> lines, long totalCents) {}
