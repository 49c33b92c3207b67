// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.store.MessageStore;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Checks handlers against the transactions in which their messages are handled, whoever defined the store. */
@AutoConfiguration(after = JdbcStoreAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
final class HandlerTransactionsAutoConfiguration {

    /** Not lazy, so that handlers are checked under lazy initialization too. */
    @Bean
    @Lazy(false)
    static SmartInitializingSingleton safeBunnyHandlerTransactionCheck(ConfigurableListableBeanFactory beans) {
        return () -> {
            if (beans.getBeanProvider(MessageStore.class).getIfAvailable()
                    instanceof TransactionalJdbcMessageStore store) {
                new HandlerTransactions(beans, store.transactionManager(), TransactionManagers.unqualified(beans))
                        .require();
            }
        };
    }
}
