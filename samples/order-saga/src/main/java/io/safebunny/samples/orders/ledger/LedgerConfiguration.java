// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Gives a node its {@link Ledger}: in its own database or, with {@code ledger.remote=true}, a remote one. */
@Configuration(proxyBeanMethods = false)
public class LedgerConfiguration {

    @Bean
    @ConditionalOnBooleanProperty(name = "ledger.remote", havingValue = false, matchIfMissing = true)
    Ledger ledger(JdbcClient jdbc, @Value("${safebunny.node}") String node) {
        return new JdbcLedger(jdbc, node);
    }

    @Bean
    @ConditionalOnWebApplication
    LedgerPage ledgerPage(JdbcClient jdbc) {
        return new LedgerPage(jdbc);
    }

    /** Uses connections of its own, apart from the node's. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "ledger.remote")
    static class Remote {

        @Bean
        LedgerService ledgerService(
                @Value("${spring.datasource.url}") String url,
                @Value("${spring.datasource.username}") String user,
                @Value("${spring.datasource.password}") String password) {
            return new LedgerService(url, user, password);
        }

        @Bean
        Ledger ledger(LedgerService service, @Value("${safebunny.node}") String node) {
            return new RemoteLedger(service, node);
        }
    }
}
