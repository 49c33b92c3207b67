// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** What a handler's @Transactional asks for, and the transaction of its message does not give. */
class HandlerTransactionsTest {

    private final DataSource ours = database();
    private final DataSource other = database();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JdbcSchemaAutoConfiguration.class,
                    JdbcStoreAutoConfiguration.class,
                    HandlerTransactionsAutoConfiguration.class))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"))
            .withBean("dataSource", DataSource.class, () -> ours)
            .withBean(
                    "first",
                    PlatformTransactionManager.class,
                    () -> new JdbcTransactionManager(ours),
                    definition -> definition.setPrimary(true))
            .withBean("other", PlatformTransactionManager.class, () -> new JdbcTransactionManager(other));

    private static DataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return database;
    }

    static Stream<Arguments> ignored() {
        return Stream.of(
                refused(OfMethod.class, "isolation=SERIALIZABLE, timeout=1"),
                refused(OfClass.class, "readOnly=true"),
                refused(ByQualifier.class, "propagation=REQUIRES_NEW"),
                refused(ByMeta.class, "timeout=30"),
                refused(ByJakarta.class, "propagation=NOT_SUPPORTED"),
                refused(NoRollback.class, "noRollbackFor=java.lang.IllegalStateException"),
                refused(Saga.class, "propagation=NEVER"));
    }

    private static Arguments refused(Class<?> bean, String attributes) {
        return Arguments.of(Named.of(bean.getSimpleName(), bean), attributes);
    }

    @ParameterizedTest
    @MethodSource("ignored")
    void isRefusedAtStartWithClassAndMethod(Class<?> bean, String attributes) {
        application.withUserConfiguration(Proxies.class, bean).run(context -> assertThat(context)
                .getFailure()
                .isInstanceOfSatisfying(ConfigurationException.class, refused -> {
                    assertThat(refused.code()).isEqualTo("SB-1116");
                    assertThat(refused.problem()).contains("[handler=" + bean.getName() + ".on, " + attributes + "]");
                }));
    }

    @Test
    void isLeftAloneWhereItMeansWhatItSays() {
        application
                .withUserConfiguration(Proxies.class, Joining.class, OfAnother.class, NoHandler.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void isLeftAloneWhereTheHandlersOwnTransactionIsTheOnlyOne() {
        application
                .withUserConfiguration(Proxies.class, OfMethod.class)
                .withPropertyValues("safebunny.store.jdbc.transactional=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    record Ping() {}

    record State() {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Proxies {}

    static class OfMethod {
        @BunnyHandler(from = "shop")
        @Transactional(isolation = Isolation.SERIALIZABLE, timeout = 1)
        void on(Ping ping) {}
    }

    @Transactional(readOnly = true)
    static class OfClass {
        @BunnyHandler(from = "shop")
        void on(Ping ping) {}
    }

    static class ByQualifier {
        @BunnyHandler(from = "shop")
        @Transactional(transactionManager = "first", propagation = Propagation.REQUIRES_NEW)
        void on(Ping ping) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Transactional(timeoutString = "${none:30}")
    @interface Briefly {}

    static class ByMeta {
        @BunnyHandler(from = "shop")
        @Briefly
        void on(Ping ping) {}
    }

    static class ByJakarta {
        @BunnyHandler(from = "shop")
        @jakarta.transaction.Transactional(jakarta.transaction.Transactional.TxType.NOT_SUPPORTED)
        void on(Ping ping) {}
    }

    static class NoRollback {
        @BunnyHandler(from = "shop")
        @Transactional(noRollbackFor = IllegalStateException.class)
        void on(Ping ping) {}
    }

    @BunnySaga(name = "trips")
    static class Saga {
        @OnTimeout("late")
        @Transactional(propagation = Propagation.NEVER)
        State on(State state) {
            return state;
        }
    }

    static class Joining {
        @BunnyHandler(from = "shop")
        @Transactional(propagation = Propagation.MANDATORY, rollbackFor = Exception.class)
        void on(Ping ping) {}
    }

    static class OfAnother {
        @BunnyHandler(from = "shop")
        @Transactional(transactionManager = "other", isolation = Isolation.SERIALIZABLE)
        void on(Ping ping) {}
    }

    static class NoHandler {
        @Transactional(isolation = Isolation.SERIALIZABLE)
        void on(Ping ping) {}
    }
}
