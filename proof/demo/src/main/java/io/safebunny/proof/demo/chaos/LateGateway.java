// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.RetryLaterException;
import io.safebunny.samples.orders.billing.GatewayTimeoutException;
import io.safebunny.samples.orders.billing.PaymentGateway;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bank that, one time in fifty, answers only after the saga has given up on the payment: it keeps the caller waiting or, once it has kept some waiting, asks to come back later.
 */
final class LateGateway implements PaymentGateway {

    private static final double SHARE = 0.02;
    private static final int MOST_WAITING = 3;
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final PaymentGateway gateway;
    private final Chaos chaos;
    private final Duration late;
    private final AtomicInteger waited = new AtomicInteger();

    LateGateway(PaymentGateway gateway, Chaos chaos, Duration payWithin) {
        this.gateway = gateway;
        this.chaos = chaos;
        this.late = payWithin.plus(MARGIN);
    }

    @Override
    public boolean charge(String idempotencyKey, String orderId, String cardToken, long amountCents) {
        if (chaos.strikes("late gateway", orderId, SHARE)) {
            if (waited.incrementAndGet() > MOST_WAITING) {
                throw new RetryLaterException(late);
            }
            sleep();
        }
        return gateway.charge(idempotencyKey, orderId, cardToken, amountCents);
    }

    private void sleep() {
        try {
            Thread.sleep(late.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GatewayTimeoutException("Nobody waits for the bank any more");
        }
    }
}
