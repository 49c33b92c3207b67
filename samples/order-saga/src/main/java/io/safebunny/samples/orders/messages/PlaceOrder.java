// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A customer's order. Starts the saga.
 *
 * @param lines 1 to 100
 * @param cardToken token of the card to charge; the bank declines tokens that begin with {@code tok_declined}
 */
public record PlaceOrder(String orderId, String customer, List<OrderLine> lines, String cardToken) {

    public PlaceOrder {
        Required.text("orderId", orderId);
        Required.text("customer", customer);
        Required.text("cardToken", cardToken);
        lines = copyOf(lines);
    }

    private static List<OrderLine> copyOf(@Nullable List<OrderLine> lines) {
        Required.within("the number of lines", 1, 100, lines == null ? 0 : lines.size());
        return lines == null ? List.of() : List.copyOf(lines);
    }

    public long totalCents() {
        return lines.stream().mapToLong(OrderLine::cents).sum();
    }
}
