// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

import java.util.List;

/** The order is accepted. Billing charges it; with an orchestrator, only its book takes note. */
public record OrderPlaced(String orderId, String customer, List<OrderLine> lines, String cardToken, long totalCents) {}
