// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

/** The bank. */
public interface PaymentGateway {

    /**
     * Charges a card.
     *
     * @param idempotencyKey key of the charge: requests with the same key are the same charge, however often they are made
     * @return whether the bank granted it
     * @throws GatewayTimeoutException the bank did not answer; nothing was charged
     */
    boolean charge(String idempotencyKey, String orderId, String cardToken, long amountCents);
}
