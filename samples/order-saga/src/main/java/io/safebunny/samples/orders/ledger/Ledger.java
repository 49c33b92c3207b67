// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import io.safebunny.MessageContext;

/** Stands for everything that must not happen twice: what is written here has been charged, shipped or mailed. Thread-safe. */
public interface Ledger {

    /**
     * Records what is done for an order. Called within the handler's transaction.
     *
     * @param cause the message that is being handled
     */
    void record(Effect effect, String orderId, MessageContext cause, long amountCents);

    /** Whether that was done for the order. For undos, before which the command is either done or never will be. */
    boolean has(Effect effect, String orderId);
}
