// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.concurrency.Workers;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.store.JdbcMessageStore;
import io.safebunny.jdbc.store.TransactionalJdbcMessageStore;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.time.SystemTimeline;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.context.spi.TenantSchemaMapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.transaction.RabbitTransactionManager;
import org.springframework.beans.factory.support.GenericBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Which of an application's transaction managers messages are handled with: the table in docs/exactly-once.md, row by row. */
@ExtendWith(OutputCaptureExtension.class)
class TransactionManagersTest {

    private static final String SET = "safebunny.store.jdbc.transactional=true";

    private final JdbcDataSource ours = database();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(JdbcSchemaAutoConfiguration.class, JdbcStoreAutoConfiguration.class))
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("shop"));

    private final ApplicationContextRunner h2 =
            application.withBean("dataSource", DataSource.class, () -> ours, definition -> definition.setPrimary(true));

    private static JdbcDataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        new JdbcTemplate(database).execute("create table debit (id int)");
        return database;
    }

    private static ApplicationContextRunner with(
            ApplicationContextRunner runner, String name, Supplier<PlatformTransactionManager> manager) {
        return runner.withBean(name, PlatformTransactionManager.class, manager);
    }

    private static ApplicationContextRunner withPrimary(
            ApplicationContextRunner runner, String name, Supplier<PlatformTransactionManager> manager) {
        return runner.withBean(
                name, PlatformTransactionManager.class, manager, definition -> definition.setPrimary(true));
    }

    /** The promise itself: what an attempt wrote is undone with its transaction, and committed with it. */
    private void assertTransactional(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed().hasSingleBean(TransactionalJdbcMessageStore.class);
        TransactionalJdbcMessageStore store = context.getBean(TransactionalJdbcMessageStore.class);
        DataSource injected = context.getBean(DataSource.class);
        JdbcTemplate handler = new JdbcTemplate(injected);
        LocalTransaction failed = store.begin();
        handler.update("insert into debit values (1)");
        failed.rollback();
        LocalTransaction succeeded = store.begin();
        handler.update("insert into debit values (2)");
        succeeded.commit();
        assertThat(new JdbcTemplate(ours).queryForList("select id from debit", Integer.class))
                .containsExactly(2);
    }

    private static void assertApart(ApplicationContextRunner runner, CapturedOutput output, String... reason) {
        runner.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(JdbcMessageStore.class);
            assertThat(output.getOut().lines().filter(line -> line.contains("SB-1415")))
                    .singleElement()
                    .asString()
                    .contains("WARN")
                    .contains(reason);
        });
        runner.withPropertyValues(SET).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(ConfigurationException.class, refused -> {
                    assertThat(refused.code()).isEqualTo("SB-1415");
                    assertThat(refused.problem()).contains(reason);
                }));
    }

    // ---- one that fits

    @Test
    void besideRabbitsManagerTheOneOfTheDataSourceIsUsed() {
        ApplicationContextRunner both = withPrimary(
                with(h2, "jdbc", () -> new JdbcTransactionManager(ours)),
                "rabbit",
                () -> new RabbitTransactionManager(new CachingConnectionFactory("nowhere.invalid")));
        both.run(this::assertTransactional);
    }

    @Test
    void besideAManagerOfSomethingElseTheOneOfJpaIsUsed() {
        h2.withUserConfiguration(JpaBesideKafka.class).run(this::assertTransactional);
    }

    @Test
    void ofTwoDataSourcesTheManagerOfThePrimaryOneIsUsedEvenIfTheOtherManagerIsPrimary() {
        JdbcDataSource other = database();
        withPrimary(
                        with(
                                h2.withBean("other", DataSource.class, () -> other),
                                "first",
                                () -> new DataSourceTransactionManager(ours)),
                        "second",
                        () -> new JdbcTransactionManager(other))
                .run(this::assertTransactional);
    }

    @Test
    void aManagerThatIsNoDefaultCandidateIsFound() {
        h2.withBean(
                        "jdbc",
                        PlatformTransactionManager.class,
                        () -> new JdbcTransactionManager(ours),
                        definition -> ((GenericBeanDefinition) definition).setDefaultCandidate(false))
                .run(this::assertTransactional);
    }

    @Test
    void aManagerThatChainsOthersIsUsedWhenItReachesTheDataSource() {
        JdbcDataSource other = database();
        with(h2, "chained", () -> new Chained(new JdbcTransactionManager(other), new JdbcTransactionManager(ours)))
                .run(this::assertTransactional);
    }

    @Test
    void theManagerOfADataSourceBehindATransactionAwareProxyIsUsed() {
        with(
                        application.withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(ours)),
                        "jdbc",
                        () -> new JdbcTransactionManager(ours))
                .run(this::assertTransactional);
    }

    @Test
    void aLazyDataSourceWithItsOwnManagerIsUsed() {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(ours);
        with(application.withBean(DataSource.class, () -> lazy), "jdbc", () -> new JdbcTransactionManager(lazy))
                .run(this::assertTransactional);
    }

    // ---- several that fit

    @Test
    void ofTwoThatFitThePrimaryOneIsUsed() {
        Counting counting = new Counting(new JdbcTransactionManager(ours));
        withPrimary(with(h2, "jdbc", () -> new JdbcTransactionManager(ours)), "counting", () -> counting)
                .run(context -> {
                    int atStart = counting.begun.get();
                    assertTransactional(context);
                    assertThat(counting.begun).hasValue(atStart + 2);
                });
    }

    @Test
    void ofTwoThatFitTheOneThatTheApplicationConfiguredForItsAnnotationsIsUsed() {
        Counting counting = new Counting(new JdbcTransactionManager(ours));
        with(with(h2, "jdbc", () -> new JdbcTransactionManager(ours)), "counting", () -> counting)
                .withBean(TransactionManagementConfigurer.class, () -> () -> counting)
                .run(context -> {
                    int atStart = counting.begun.get();
                    assertTransactional(context);
                    assertThat(counting.begun).hasValue(atStart + 2);
                });
    }

    @Test
    void ofTwoThatFitNoneIsUsedWhenNoneIsPrimary(CapturedOutput output) {
        assertApart(
                with(
                        with(h2, "one", () -> new JdbcTransactionManager(ours)),
                        "two",
                        () -> new Counting(new JdbcTransactionManager(ours))),
                output,
                "[one, two]",
                "none of them is primary");
    }

    // ---- none that fits

    @Test
    void noManagerAtAll(CapturedOutput output) {
        assertApart(h2, output, "there is no bean of type " + PlatformTransactionManager.class.getName());
    }

    @Test
    void jtaAlone(CapturedOutput output) {
        UserTransaction untouched = (UserTransaction) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {UserTransaction.class}, (proxy, method, arguments) -> {
                    throw new AssertionError("a foreign manager is not asked to begin anything");
                });
        assertApart(with(h2, "jta", () -> new JtaTransactionManager(untouched)), output, "jta", "JTA");
    }

    @Test
    void aManagerThatTellsNobodyHowItsTransactionsEnd(CapturedOutput output) {
        assertApart(
                with(h2, "silent", () -> {
                    JdbcTransactionManager silent = new JdbcTransactionManager(ours);
                    silent.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
                    return silent;
                }),
                output,
                "silent",
                "transactionSynchronization=NEVER");
    }

    @Test
    void theManagerOfAnotherDataSource(CapturedOutput output) {
        JdbcDataSource other = database();
        assertApart(
                with(
                        h2.withBean("other", DataSource.class, () -> other),
                        "second",
                        () -> new JdbcTransactionManager(other)),
                output,
                "second",
                "another DataSource");
    }

    /** What is written through the proxy would not be part of a transaction of its target. */
    @Test
    void theManagerOfWhatALazyDataSourceWraps(CapturedOutput output) {
        assertApart(
                with(
                        application.withBean(DataSource.class, () -> new LazyConnectionDataSourceProxy(ours)),
                        "jdbc",
                        () -> new JdbcTransactionManager(ours)),
                output,
                "jdbc",
                "another DataSource");
    }

    @Test
    void theOneOfJpaWhenHibernateChoosesTheSchemaByTenant(CapturedOutput output) {
        assertApart(h2.withUserConfiguration(JpaByTenant.class), output, "jpa", "by tenant", "schema_mapper");
    }

    @Test
    void theOutboxIsRefusedWhenHibernateChoosesTheSchemaByTenant() {
        h2.withConfiguration(AutoConfigurations.of(JdbcOutboxAutoConfiguration.class))
                .withBean(SystemTimeline.class, () -> new SystemTimeline("test"))
                .withBean(Workers.class, () -> new Workers(ForkJoinPool.commonPool()))
                .withUserConfiguration(JpaByTenant.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(ConfigurationException.class, refused -> assertThat(refused.code())
                                .isEqualTo("SB-1416")));
    }

    @Test
    void aManagerThatCannotBeginAnythingNow() {
        with(h2, "broken", () -> new Away(ours)).run(context -> assertThat(context)
                .getFailure()
                .hasStackTraceContaining("SB-1415")
                .hasStackTraceContaining("broken (" + Away.class.getName() + ") could not begin a transaction")
                .rootCause()
                .hasMessage("the other system is away"));
    }

    @Test
    void whoAskedForSeparateTransactionsIsNotWarned(CapturedOutput output) {
        h2.withPropertyValues("safebunny.store.jdbc.transactional=false")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(JdbcMessageStore.class));
        assertThat(output).doesNotContain("SB-1415");
    }

    // ---- a handler with a manager of its own

    /** As with @Transactional("other") on a handler. */
    @Test
    void aTransactionOfAnotherManagerWithinTheHandlersIsItsOwn() {
        JdbcDataSource other = database();
        with(
                        with(h2, "first", () -> new JdbcTransactionManager(ours)),
                        "second",
                        () -> new JdbcTransactionManager(other))
                .run(context -> {
                    LocalTransaction failed = store(context).begin();
                    TransactionTemplate second =
                            new TransactionTemplate(context.getBean("second", PlatformTransactionManager.class));
                    second.executeWithoutResult(status -> {
                        new JdbcTemplate(ours).update("insert into debit values (1)");
                        new JdbcTemplate(other).update("insert into debit values (1)");
                    });
                    failed.rollback();

                    assertThat(count(ours)).isZero();
                    assertThat(count(other)).isOne();
                });
    }

    private static TransactionalJdbcMessageStore store(ApplicationContext context) {
        return context.getBean(TransactionalJdbcMessageStore.class);
    }

    private static @Nullable Integer count(DataSource database) {
        return new JdbcTemplate(database).queryForObject("select count(*) from debit", Integer.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class JpaBesideKafka {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of());
            factory.setJpaPropertyMap(Map.of());
            return factory;
        }

        @Bean
        PlatformTransactionManager jpa(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        @Primary
        PlatformTransactionManager kafka() {
            return new OfAnotherResource();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class JpaByTenant {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of());
            TenantSchemaMapper<String> publicSchema = tenant -> "PUBLIC";
            factory.setJpaPropertyMap(Map.of(
                    MultiTenancySettings.MULTI_TENANT_SCHEMA_MAPPER,
                    publicSchema,
                    MultiTenancySettings.MULTI_TENANT_IDENTIFIER_RESOLVER,
                    new OneTenant()));
            return factory;
        }

        @Bean
        PlatformTransactionManager jpa(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    private static final class OneTenant implements CurrentTenantIdentifierResolver<String> {

        @Override
        public String resolveCurrentTenantIdentifier() {
            return "acme";
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }
    }

    /** Like KafkaTransactionManager, MongoTransactionManager and others: the resource is not a database of JDBC. */
    private static final class OfAnotherResource implements ResourceTransactionManager {

        @Override
        public Object getResourceFactory() {
            return new Object();
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            throw new AssertionError("a foreign manager is not asked to begin anything");
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }

    /** Says nothing of its resource. */
    private static class Counting implements PlatformTransactionManager {

        final AtomicInteger begun = new AtomicInteger();
        private final PlatformTransactionManager manager;

        Counting(PlatformTransactionManager manager) {
            this.manager = manager;
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            begun.incrementAndGet();
            return manager.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            manager.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            manager.rollback(status);
        }
    }

    private static final class Away extends Counting {

        Away(DataSource dataSource) {
            super(new JdbcTransactionManager(dataSource));
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            throw new IllegalStateException("the other system is away");
        }
    }

    /** Begins and ends two transactions together, as managers do that chain others. */
    private record Chained(PlatformTransactionManager outer, PlatformTransactionManager inner)
            implements PlatformTransactionManager {

        private record Both(TransactionStatus outer, TransactionStatus inner) implements TransactionStatus {
            @Override
            public boolean isNewTransaction() {
                return outer.isNewTransaction();
            }

            @Override
            public boolean hasSavepoint() {
                return false;
            }

            @Override
            public void setRollbackOnly() {
                outer.setRollbackOnly();
                inner.setRollbackOnly();
            }

            @Override
            public boolean isRollbackOnly() {
                return inner.isRollbackOnly();
            }

            @Override
            public void flush() {}

            @Override
            public boolean isCompleted() {
                return inner.isCompleted();
            }

            @Override
            public Object createSavepoint() {
                return inner.createSavepoint();
            }

            @Override
            public void rollbackToSavepoint(Object savepoint) {
                inner.rollbackToSavepoint(savepoint);
            }

            @Override
            public void releaseSavepoint(Object savepoint) {
                inner.releaseSavepoint(savepoint);
            }
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return new Both(outer.getTransaction(definition), inner.getTransaction(definition));
        }

        @Override
        public void commit(TransactionStatus status) {
            inner.commit(((Both) status).inner());
            outer.commit(((Both) status).outer());
        }

        @Override
        public void rollback(TransactionStatus status) {
            inner.rollback(((Both) status).inner());
            outer.rollback(((Both) status).outer());
        }
    }
}
