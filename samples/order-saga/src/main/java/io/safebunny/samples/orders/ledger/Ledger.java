// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

/** Stands for the outside world: what is written here is charged, shipped or mailed. Thread-safe. */
public interface Ledger {

    /**
     * Appends a row in the caller's transaction; there must be one, or the row would outlive a handler that fails.
     *
     * @param messageId the message that caused it
     */
    void record(Effect effect, String orderId, String messageId, long amountCents);
}
