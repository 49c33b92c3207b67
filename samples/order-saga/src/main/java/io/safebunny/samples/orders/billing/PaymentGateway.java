// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

/** The bank. */
public interface PaymentGateway {

    /**
     * Asks for money.
     *
     * @return whether the bank granted it
     * @throws GatewayTimeoutException the bank does not answer; nothing was charged
     */
    boolean charge(String orderId, String cardToken, long amountCents);
}
