// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.messages;

import io.safebunny.samples.orders.messages.OrderLine;
import java.util.List;

/** To shipping: keep the goods for this order. */
public record ReserveStock(String orderId, List<OrderLine> lines, long cents) {}
