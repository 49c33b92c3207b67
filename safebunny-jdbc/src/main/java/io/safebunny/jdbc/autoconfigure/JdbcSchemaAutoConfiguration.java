// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.jdbc.sql.Durability;
import io.safebunny.jdbc.sql.JdbcSchema;
import javax.sql.DataSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The tables of the message store and the outbox. The tables of both are created even if only one is used, because there is one script for
 * both.
 */
@AutoConfiguration(
        // by name, so that a class missing from the class path is skipped
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnSingleCandidate(DataSource.class)
@Conditional(JdbcSchemaAutoConfiguration.OnUse.class)
@EnableConfigurationProperties(JdbcStoreProperties.class)
final class JdbcSchemaAutoConfiguration {

    @Bean
    SchemaInitializer safeBunnySchemaInitializer(DataSource dataSource, JdbcStoreProperties properties) {
        return new SchemaInitializer(
                dataSource, JdbcSchema.of(dataSource, properties.tablePrefix()), properties.initializeSchema());
    }

    /**
     * Warns once, even if both store and outbox are used; not lazy, so that the warning also appears under lazy initialization.
     */
    @Bean
    @Lazy(false)
    SmartInitializingSingleton safeBunnyDurabilityCheck(DataSource dataSource) {
        return () -> Durability.warn(dataSource);
    }

    /** Matches if the store, the outbox or large bodies are in the database. */
    static final class OnUse extends AnyNestedCondition {

        OnUse() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "jdbc", matchIfMissing = true)
        static final class Store {}

        @ConditionalOnBooleanProperty(name = "safebunny.outbox.enabled", matchIfMissing = true)
        @ConditionalOnBean(PlatformTransactionManager.class)
        static final class Outbox {}

        @ConditionalOnBooleanProperty("safebunny.claim-check.jdbc.enabled")
        static final class Bodies {}
    }
}
