// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.messages;

/**
 * What the customer is to hear of an order. Acceptance and end are one message type, because only messages of one type are handled in order.
 *
 * @param text for the customer, such as why it was cancelled
 */
public record OrderNews(String orderId, String customer, Stage stage, String text) {

    /** How far the order has come. */
    public enum Stage {
        ACCEPTED,
        /** The happy ending. */
        COMPLETED,
        /** The bad ending: declined, or refunded. */
        CANCELLED
    }

    public static OrderNews accepted(String orderId, String customer) {
        return new OrderNews(orderId, customer, Stage.ACCEPTED, "we have your order");
    }

    public static OrderNews completed(String orderId, String customer) {
        return new OrderNews(orderId, customer, Stage.COMPLETED, "it is on its way");
    }

    public static OrderNews cancelled(String orderId, String customer, String reason) {
        return new OrderNews(orderId, customer, Stage.CANCELLED, reason);
    }
}
