// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.chaos;

import io.safebunny.samples.orders.billing.PaymentGateway;
import io.safebunny.samples.orders.ledger.Ledger;
import io.safebunny.spi.transport.Transport;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Replaces a node's reliable parts with unreliable ones. */
public final class ChaosMonkey implements BeanPostProcessor {

    private final Chaos chaos;

    public ChaosMonkey(Chaos chaos) {
        this.chaos = chaos;
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
            return new SlowGateway(gateway, chaos);
        }
        return bean;
    }
}
