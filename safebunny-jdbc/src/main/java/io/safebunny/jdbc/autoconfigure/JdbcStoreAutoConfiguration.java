// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** The message store in the application's database. Needs the starter, this jar and one {@code DataSource}. */
@AutoConfiguration(
        after = JdbcSchemaAutoConfiguration.class,
        // by name, so that a class missing from the class path is skipped
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        },
        beforeName = "io.safebunny.autoconfigure.StoreAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "safebunny.store.type", havingValue = "jdbc", matchIfMissing = true)
@ConditionalOnMissingBean(MessageStore.class)
final class JdbcStoreAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcStoreAutoConfiguration.class);

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(DataSource.class)
    @EnableConfigurationProperties(JdbcStoreProperties.class)
    @Order(0)
    static class Stores {

        private final JdbcStoreProperties properties;
        private final Environment environment;

        Stores(JdbcStoreProperties properties, Environment environment) {
            this.properties = properties;
            this.environment = environment;
        }

        @Bean
        @DependsOnDatabaseInitialization
        MessageStore safeBunnyJdbcMessageStore(
                DataSource dataSource,
                ListableBeanFactory beans,
                ObjectProvider<DataSourcePoolMetadataProvider> pools,
                SafeBunnyOptions node) {
            JdbcStoreOptions options = properties.toOptions(node);
            if (properties.transactional()) {
                TransactionManagers.Choice choice = new TransactionManagers(beans, dataSource).choose();
                if (choice.manager() != null) {
                    LOG.info(
                            "Message store: table {}message, in one transaction with what handlers write",
                            options.tablePrefix());
                    int handledAtOnce =
                            PoolBound.of(dataSource, pools.orderedStream().toList());
                    return new TransactionalJdbcMessageStore(dataSource, choice.manager(), options, handledAtOnce);
                }
                refuseOrWarn(choice.why());
            }
            LOG.info(
                    "Message store: table {}message, in transactions separate from what handlers write",
                    options.tablePrefix());
            return new JdbcMessageStore(dataSource, options);
        }

        /** Fails if transactions were requested explicitly; otherwise warns what running without them means. */
        private void refuseOrWarn(String why) {
            if (Binder.get(environment)
                    .bind("safebunny.store.jdbc.transactional", Boolean.class)
                    .isBound()) {
                throw TransactionManagers.refused(why, null);
            }
            LOG.warn(
                    "SB-1415 Messages are not handled in one transaction with their records, so a failed handler's writes stay unless the"
                            + " handler's own transaction rolls them back, and a crash may repeat them: no transaction manager is known to bind"
                            + " connections of the message store's DataSource to the thread: {}. Define a JdbcTransactionManager or"
                            + " JpaTransactionManager for the DataSource bean that handlers use, marked @Primary if several manage it; or"
                            + " set safebunny.store.jdbc.transactional=false if this is what you want",
                    why);
        }
    }

    /** Fails the start: the store, or its transactions, were asked for by name, so running without them would be a surprise. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(MessageStore.class)
    @Conditional(AskedFor.class)
    @Order(1)
    static class NoDataSource {

        @Bean
        MessageStore safeBunnyJdbcMessageStore(ObjectProvider<DataSource> dataSources, Environment environment) {
            String askedBy = environment.containsProperty("safebunny.store.type")
                    ? "safebunny.store.type=jdbc"
                    : "safebunny.store.jdbc.transactional=true";
            throw new ConfigurationException(
                    "SB-1404",
                    "No database for the message store [%s]: there are %s beans of type %s, and it needs one, or one marked @Primary."
                            .formatted(askedBy, dataSources.stream().count(), DataSource.class.getName()),
                    "Add org.springframework.boot:spring-boot-starter-jdbc and the driver of your database, and set spring.datasource.url; or mark one DataSource bean @Primary.");
        }
    }

    static final class AskedFor extends AnyNestedCondition {

        AskedFor() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(name = "safebunny.store.type", havingValue = "jdbc")
        static class ByType {}

        @ConditionalOnBooleanProperty(name = "safebunny.store.jdbc.transactional")
        static class ByTransactions {}
    }
}
