// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Gives a node its {@link Ledger}. */
@Configuration(proxyBeanMethods = false)
public class LedgerConfiguration {

    @Bean
    Ledger ledger(JdbcClient jdbc, @Value("${safebunny.node}") String node) {
        return new JdbcLedger(jdbc, node);
    }
}
