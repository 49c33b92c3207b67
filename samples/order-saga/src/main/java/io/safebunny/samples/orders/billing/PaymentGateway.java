// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

/** The bank. */
public interface PaymentGateway {

    /**
     * Asks for money.
     *
     * @param idempotencyKey of the charge: under the same key it is the same charge, however often it is asked for
     * @return whether the bank granted it
     * @throws GatewayTimeoutException the bank does not answer; nothing was charged
     */
    boolean charge(String idempotencyKey, String orderId, String cardToken, long amountCents);
}
