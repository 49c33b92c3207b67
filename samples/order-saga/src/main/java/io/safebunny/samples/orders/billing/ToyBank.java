// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.billing;

import org.springframework.stereotype.Component;

/** Grants every charge except those on cards whose token says otherwise. */
@Component
public class ToyBank implements PaymentGateway {

    @Override
    public boolean charge(String idempotencyKey, String orderId, String cardToken, long amountCents) {
        return !cardToken.startsWith("tok_declined");
    }
}
