// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.samples.orders.billing.GatewayTimeoutException;
import io.safebunny.samples.orders.billing.PaymentGateway;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Breaks a node's bank over HTTP, and repairs it: {@code PUT /gateway}. While it is broken it answers no call, and charges nothing.
 * Thread-safe.
 */
@RestController
public final class GatewaySwitch implements BeanPostProcessor {

    private volatile boolean works = true;

    /** State of the bank. */
    record Gateway(boolean works) {}

    private record SwitchedGateway(PaymentGateway gateway, GatewaySwitch state) implements PaymentGateway {

        @Override
        public boolean charge(String idempotencyKey, String orderId, String cardToken, long amountCents) {
            if (!state.works) {
                throw new GatewayTimeoutException("The bank does not answer: somebody has broken it");
            }
            return gateway.charge(idempotencyKey, orderId, cardToken, amountCents);
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof PaymentGateway gateway ? new SwitchedGateway(gateway, this) : bean;
    }

    @GetMapping("/gateway")
    Gateway state() {
        return new Gateway(works);
    }

    @PutMapping(path = "/gateway", consumes = MediaType.APPLICATION_JSON_VALUE)
    Gateway change(@RequestBody Gateway wanted) {
        works = wanted.works();
        return wanted;
    }
}
