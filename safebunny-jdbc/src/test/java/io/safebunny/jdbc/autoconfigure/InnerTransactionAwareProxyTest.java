// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.concurrency.Workers;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.time.SystemTimeline;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** A proxy that hands out the connection of the application's transaction, within another one: a commit of ours would commit that. */
class InnerTransactionAwareProxyTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withBean(SystemTimeline.class, () -> new SystemTimeline("test"))
            .withBean(Workers.class, () -> new Workers(ForkJoinPool.commonPool()))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"));

    private final JdbcDataSource database = new JdbcDataSource();

    InnerTransactionAwareProxyTest() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    static Stream<Named<UnaryOperator<DataSource>>> outside() {
        return Stream.of(
                Named.of("delegating", DelegatingDataSource::new),
                Named.of("lazy", LazyConnectionDataSourceProxy::new),
                Named.of("aware again", aware -> new TransactionAwareDataSourceProxy(new DelegatingDataSource(aware))),
                Named.of("advised interface", aware -> {
                    ProxyFactory proxy = new ProxyFactory(aware);
                    proxy.setInterfaces(DataSource.class);
                    return (DataSource) proxy.getProxy();
                }),
                Named.of("pool", aware -> {
                    HikariDataSource pool = new HikariDataSource();
                    pool.setDataSource(aware);
                    return pool;
                }));
    }

    @ParameterizedTest
    @MethodSource("outside")
    void isRefusedAtStartByTheStore(UnaryOperator<DataSource> outside) {
        refuses(
                application.withConfiguration(
                        AutoConfigurations.of(JdbcSchemaAutoConfiguration.class, JdbcStoreAutoConfiguration.class)),
                outside);
    }

    @ParameterizedTest
    @MethodSource("outside")
    void isRefusedAtStartByTheOutbox(UnaryOperator<DataSource> outside) {
        refuses(application.withConfiguration(AutoConfigurations.of(JdbcOutboxAutoConfiguration.class)), outside);
    }

    private void refuses(ApplicationContextRunner runner, UnaryOperator<DataSource> outside) {
        DataSource dataSource = outside.apply(new TransactionAwareDataSourceProxy(database));
        runner.withBean("dataSource", DataSource.class, () -> dataSource)
                .withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(database))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(ConfigurationException.class, refused -> assertThat(refused.code())
                                .isEqualTo("SB-1117")));
    }
}
