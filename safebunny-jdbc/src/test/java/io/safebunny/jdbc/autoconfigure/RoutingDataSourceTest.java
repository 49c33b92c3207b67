// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.concurrency.Workers;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.JdbcStoreOptions;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** A DataSource that chooses a database for each connection. */
class RoutingDataSourceTest {

    private static final JdbcDataSource DEFAULT = database();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JdbcSchemaAutoConfiguration.class,
                    JdbcStoreAutoConfiguration.class,
                    JdbcOutboxAutoConfiguration.class))
            .withBean(SystemTimeline.class, () -> new SystemTimeline("test"))
            .withBean(Workers.class, () -> new Workers(ForkJoinPool.commonPool()))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"));

    private static JdbcDataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return database;
    }

    private static AbstractRoutingDataSource byTenant() {
        AbstractRoutingDataSource byTenant = new AbstractRoutingDataSource() {
            @Override
            protected @Nullable Object determineCurrentLookupKey() {
                return null;
            }
        };
        byTenant.setDefaultTargetDataSource(DEFAULT);
        byTenant.setTargetDataSources(Map.of());
        byTenant.afterPropertiesSet();
        return byTenant;
    }

    static Stream<Named<UnaryOperator<DataSource>>> wrappers() {
        return Stream.of(
                Named.of("as it is", routing -> routing),
                Named.of("lazy", LazyConnectionDataSourceProxy::new),
                Named.of("aware of transactions", TransactionAwareDataSourceProxy::new),
                Named.of(
                        "aware and lazy",
                        routing -> new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(routing))),
                Named.of("advised interface", routing -> {
                    ProxyFactory proxy = new ProxyFactory(routing);
                    proxy.setInterfaces(DataSource.class);
                    return (DataSource) proxy.getProxy();
                }),
                Named.of("behind a pool", routing -> {
                    HikariDataSource pool = new HikariDataSource();
                    pool.setDataSource(routing);
                    return pool;
                }));
    }

    @ParameterizedTest
    @MethodSource("wrappers")
    void isRefusedAtStartHoweverItIsWrapped(UnaryOperator<DataSource> wrapper) {
        DataSource dataSource = wrapper.apply(byTenant());
        application
                .withBean("dataSource", DataSource.class, () -> dataSource)
                .withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(dataSource))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(ConfigurationException.class, refused -> {
                            assertThat(refused.code()).isEqualTo("SB-1416");
                            assertThat(refused.action()).contains("@Primary", "safebunny.outbox.enabled=false");
                        }));
    }

    @Test
    void isNoConcernWhenTheStoreUsesAnother() {
        application
                .withBean("tenants", DataSource.class, RoutingDataSourceTest::byTenant)
                .withBean("plain", DataSource.class, () -> DEFAULT, definition -> definition.setPrimary(true))
                .withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(DEFAULT))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(TransactionalJdbcMessageStore.class));
    }

    /** The way out that the refusal names. */
    @Test
    void aStoreOfTheApplicationMayUseAnotherDatabase() {
        JdbcDataSource plain = database();
        new ResourceDatabasePopulator(new ClassPathResource("io/safebunny/jdbc/schema-h2.sql")).execute(plain);
        application
                .withBean("dataSource", DataSource.class, RoutingDataSourceTest::byTenant)
                .withBean(
                        MessageStore.class,
                        () -> new JdbcMessageStore(plain, JdbcStoreOptions.of("shop", Duration.ofDays(7))))
                .withPropertyValues("safebunny.store.type=none", "safebunny.outbox.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(JdbcMessageStore.class));
    }
}
