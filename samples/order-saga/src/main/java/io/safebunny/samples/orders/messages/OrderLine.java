// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/**
 * One position of an order.
 *
 * @param sku what is bought; the shelf of everything that begins with {@code sold-out} is empty
 * @param quantity 1 to 10,000
 * @param unitPriceCents 0 to 100,000,000
 */
public record OrderLine(String sku, int quantity, long unitPriceCents) {

    public OrderLine {
        Required.text("sku", sku);
        Required.within("quantity", 1, 10_000, quantity);
        Required.within("unitPriceCents", 0, 100_000_000, unitPriceCents);
    }

    long cents() {
        return quantity * unitPriceCents;
    }
}
