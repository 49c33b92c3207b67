// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.samples.orders.billing.GatewayTimeoutException;
import io.safebunny.samples.orders.billing.PaymentGateway;

/** A bank that fails to answer one time in four, without having charged anything. */
record SlowGateway(PaymentGateway gateway, Chaos chaos) implements PaymentGateway {

    private static final double SHARE = 0.25;

    @Override
    public boolean charge(String idempotencyKey, String orderId, String cardToken, long amountCents) {
        if (chaos.strikes("gateway", orderId, SHARE)) {
            throw new GatewayTimeoutException("The bank did not answer in time");
        }
        return gateway.charge(idempotencyKey, orderId, cardToken, amountCents);
    }
}
