// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

/** What a node does to the outside world, each at most once per order, or somebody complains. */
public enum Effect {
    ACCEPTED,
    CHARGE,
    REFUND,
    RESERVATION,
    RELEASE,
    SHIPMENT,
    RETURN,
    TIMEOUT,
    MAIL_RECEIVED,
    MAIL_OUTCOME,
    COMPLETED,
    CANCELLED
}
