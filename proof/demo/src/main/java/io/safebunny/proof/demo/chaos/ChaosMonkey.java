// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.chaos;

import io.safebunny.samples.orders.billing.PaymentGateway;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.transport.Transport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Replaces a node's reliable parts with unreliable ones. */
public final class ChaosMonkey implements BeanPostProcessor {

    private final Chaos chaos;
    private final @Nullable Duration payWithin;

    /** @param payWithin how long a saga waits for a payment, which is sometimes not enough; {@code null} without such a saga */
    public ChaosMonkey(Chaos chaos, @Nullable Duration payWithin) {
        this.chaos = chaos;
        this.payWithin = payWithin;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Transport transport) {
            return new DuplicatingTransport(transport, chaos);
        }
        if (bean instanceof Ledger ledger) {
            return new FailingLedger(ledger, chaos);
        }
        if (bean instanceof PaymentGateway gateway) {
            PaymentGateway slow = new SlowGateway(gateway, chaos);
            return payWithin == null ? slow : new LateGateway(slow, chaos, payWithin);
        }
        return bean;
    }
}
