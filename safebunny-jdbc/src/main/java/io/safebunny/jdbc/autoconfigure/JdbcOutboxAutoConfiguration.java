// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.engine.SafeBunnyOptions;
import io.safebunny.jdbc.outbox.JdbcOutbox;
import io.safebunny.jdbc.outbox.JdbcOutboxOptions;
import io.safebunny.spi.outbox.Outbox;
import io.safebunny.time.Timeline;
import io.safebunny.work.Workers;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;

/** The outbox for the application's transactions. Needs only this jar, one {@code DataSource} and its transaction manager. */
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
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnBean({PlatformTransactionManager.class, Timeline.class, Workers.class})
@ConditionalOnMissingBean(Outbox.class)
@EnableConfigurationProperties({JdbcOutboxProperties.class, JdbcStoreProperties.class})
final class JdbcOutboxAutoConfiguration {

    @Bean
    @DependsOnDatabaseInitialization
    JdbcOutbox safeBunnyJdbcOutbox(
            DataSource dataSource,
            ListableBeanFactory beans,
            SafeBunnyOptions node,
            JdbcStoreProperties database,
            JdbcOutboxProperties outbox,
            Timeline timeline,
            Workers workers,
            ObjectProvider<MeterRegistry> meterRegistries) {
        new TransactionManagers(beans, dataSource).requireOneDatabase();
        JdbcOutboxOptions options = new JdbcOutboxOptions(
                node.node(),
                database.tablePrefix(),
                outbox.relayInterval(),
                outbox.relayAfter(),
                outbox.batchSize(),
                database.timeout());
        return new JdbcOutbox(
                dataSource,
                options,
                timeline,
                workers.executor(),
                meterRegistries.getIfUnique(SimpleMeterRegistry::new));
    }
}
