// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.concurrency.Workers;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.Outbox;
import io.safebunny.time.Timeline;
import java.util.List;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.PlatformTransactionManager;

/** The outbox for the application's transactions. Needs the starter, this jar, one {@code DataSource} and its transaction manager. */
@AutoConfiguration(
        after = {JdbcSchemaAutoConfiguration.class, JdbcStoreAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            "io.safebunny.autoconfigure.ThreadsAutoConfiguration"
        },
        beforeName = "io.safebunny.autoconfigure.SafeBunnyAutoConfiguration")
@ConditionalOnBooleanProperty(name = "safebunny.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "safebunny.outbox.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(Outbox.class)
final class JdbcOutboxAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcOutboxAutoConfiguration.class);

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnBean({PlatformTransactionManager.class, Timeline.class, Workers.class})
    @EnableConfigurationProperties({JdbcOutboxProperties.class, JdbcStoreProperties.class})
    @Order(0)
    static class Outboxes {

        private final JdbcOutboxOptions options;

        Outboxes(SafeBunnyOptions node, JdbcStoreProperties database, JdbcOutboxProperties outbox) {
            this.options = outbox.toOptions(node.node(), database);
        }

        @Bean
        @DependsOnDatabaseInitialization
        JdbcOutbox safeBunnyJdbcOutbox(
                DataSource dataSource,
                ListableBeanFactory beans,
                Timeline timeline,
                Workers workers,
                ObjectProvider<MeterRegistry> meterRegistries) {
            new TransactionManagers(beans, dataSource).requireOneDatabase();
            return new JdbcOutbox(
                    dataSource,
                    options,
                    timeline,
                    workers.executor(),
                    meterRegistries.getIfUnique(SimpleMeterRegistry::new));
        }
    }

    /** Warns at the start that there is no outbox; otherwise nobody would notice before the first rollback. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Outbox.class)
    @ConditionalOnBean({DataSource.class, PlatformTransactionManager.class, Workers.class})
    @Order(1)
    static class NoOutbox {

        @Bean
        SmartInitializingSingleton safeBunnyNoOutbox(ListableBeanFactory beans) {
            return () -> LOG.warn(
                    "SB-1118 There is no outbox, so messages published in a Spring transaction outside handlers are sent at once, even if the"
                            + " transaction is rolled back: there are several DataSources, and none is primary [dataSources={}]. Mark the"
                            + " one @Primary in whose transactions you publish, or set safebunny.outbox.enabled=false if this is what you"
                            + " want",
                    List.of(beans.getBeanNamesForType(DataSource.class, true, false)));
        }
    }
}
