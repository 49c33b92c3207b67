// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.micrometer.core.instrument.MeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.test.database.PostgresServer;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PreUpdate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** What handlers write through JPA, and what they publish, is one transaction with "this message is handled". */
@Tag("once")
class JpaStoreIT {

    private static final PostgresServer DATABASE = PostgresServer.start();

    private final StoreNode node = new StoreNode(DATABASE);
    private final ApplicationContextRunner runner = node.runner()
            .withUserConfiguration(Application.class)
            .withBean("node", StoreNode.class, () -> node)
            .withPropertyValues("safebunny.store.jdbc.transactional=true");

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @ParameterizedTest
    @EnumSource
    void entityRecordAndPublicationsAreCommittedTogether(Way way) {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);

            context.getBean(Bunny.class).publish(new Buy("42", way, 0));

            assertThat(shop.bought.next()).isEqualTo(new Bought("42", 1));
            assertThat(shop.committedWhenPublished).containsExactly(1);
            assertThat(shop.attempts).singleElement().satisfies(attempt -> assertThat(attempt.seenOutside())
                    .isZero());
            awaitAllDispatched(2);
            assertThat(purchases("42")).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatAFailedAttemptWroteIsRolledBackAndItsRetryWritesItOnce(Way way) {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);

            context.getBean(Bunny.class).publish(new Buy("42", way, 2)); // in memory, then delayed

            assertThat(shop.bought.next()).isEqualTo(new Bought("42", 3));
            assertThat(shop.attempts)
                    .hasSize(3)
                    .extracting(Attempt::transaction)
                    .doesNotHaveDuplicates();
            assertThat(shop.attempts).extracting(Attempt::seenOutside).containsOnly(0);
            awaitAllDispatched(2);
            assertThat(purchases("42")).isEqualTo(1);
            assertThat(shop.bought.waiting()).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aDuplicateThatComesWhileTheFirstIsHandledLeavesOneEntity(Way way) {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.gate = new CountDownLatch(1);
            PublishOptions sameId = PublishOptions.none().withIdempotencyKey("42");

            context.getBean(Bunny.class).publish(new Buy("42", way, 0), sameId);
            context.getBean(Bunny.class).publish(new Buy("42", way, 0), sameId);
            Awaitility.await("the second one waits for the transaction of the first")
                    .until(() -> node.count("select count(*) from pg_locks where not granted") == 1);
            shop.gate.countDown();

            assertThat(shop.bought.next()).isEqualTo(new Bought("42", 1));
            Awaitility.await().until(() -> counted(context, "hit") == 1);
            context.getBean(Bunny.class).publish(new Buy("42", way, 0), sameId);
            Awaitility.await().until(() -> counted(context, "hit") == 2);
            awaitAllDispatched(2);
            assertThat(shop.attempts).hasSize(1);
            assertThat(purchases("42")).isEqualTo(1);
            assertThat(shop.bought.waiting()).isZero();
        });
    }

    @Test
    void whatTheDatabaseRefusesAtTheFlushBeforeTheCommitIsTheHandlersFailure() {
        runner.run(context -> {
            node.sql().update("insert into purchase (id, code) values (-1, '42')");

            context.getBean(Bunny.class).publish(new Buy("42", Way.ENTITY_MANAGER, 0));

            assertPoisonedOnce();
            assertThat(context.getBean(Shop.class).attempts).hasSize(2); // the commit is not tried again in memory
            assertThat(purchases("42")).isEqualTo(1);
            assertThat(context.getBean(Shop.class).bought.waiting()).isZero();
        });
    }

    /** As Bean Validation does it: in JPA's words nothing of the database's, and nothing that Spring translates. */
    @Test
    void whatAnEntityRefusesAtTheFlushBeforeTheCommitIsTheHandlersFailure() {
        runner.run(context -> {
            node.sql().update("insert into purchase (id, code) values (-1, '42')");

            context.getBean(Bunny.class).publish(new Rename("42", Purchase.INVALID));

            assertPoisonedOnce();
            assertThat(purchases("42")).isEqualTo(1);
            assertThat(context.getBean(Shop.class).bought.waiting()).isZero();
        });
    }

    private void assertPoisonedOnce() throws Exception {
        try (PoisonQueue poison = node.poisonQueue()) {
            GetResponse message = poison.next();
            assertThat(PoisonQueue.header(message, "sb-poison-reason")).isEqualTo("retries-exhausted");
            assertThat(poison.waiting()).isZero();
        }
        assertThat(node.states()).containsExactly("POISONED");
    }

    private void awaitAllDispatched(int records) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(node.states()).hasSize(records).containsOnly("DISPATCHED"));
    }

    private int purchases(String code) {
        return node.count("select count(*) from purchase where code = ?", code);
    }

    private static double counted(ApplicationContext context, String outcome) {
        return context.getBean(MeterRegistry.class)
                .counter("safebunny.dedup", "type", "Buy", "outcome", outcome)
                .count();
    }

    // ---- the application

    enum Way {
        ENTITY_MANAGER,
        TRANSACTIONAL_SERVICE,
        JDBC_CLIENT
    }

    record Buy(String code, Way way, int failures) {}

    record Rename(String code, String to) {}

    record Bought(String code, int attempt) {}

    /** @param seenOutside rows of the attempt that are to be seen before its end */
    record Attempt(String transaction, int seenOutside) {}

    @Entity(name = "purchase")
    static class Purchase {

        static final String INVALID = "invalid";

        @Id
        @GeneratedValue
        private long id;

        @Column(unique = true)
        private String code = "";

        Purchase() {}

        Purchase(String code) {
            this.code = code;
        }

        @PreUpdate
        void validate() {
            if (code.equals(INVALID)) {
                throw new InvalidPurchaseException();
            }
        }
    }

    static class InvalidPurchaseException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static class Purchases {

        @PersistenceContext
        @Nullable
        private EntityManager entities;

        EntityManager entities() {
            return Objects.requireNonNull(entities);
        }

        @Transactional
        public void save(String code) {
            entities().persist(new Purchase(code));
        }
    }

    static class Shop {

        final Received<Bought> bought = new Received<>();
        final List<Attempt> attempts = new CopyOnWriteArrayList<>();
        final List<Integer> committedWhenPublished = new CopyOnWriteArrayList<>();
        volatile CountDownLatch gate = new CountDownLatch(0);

        private final Bunny bunny;
        private final Purchases service;
        private final JdbcClient jdbc;
        private final StoreNode node;

        @PersistenceContext
        @Nullable
        private EntityManager entities;

        Shop(Bunny bunny, Purchases service, DataSource dataSource, StoreNode node) {
            this.bunny = bunny;
            this.service = service;
            this.jdbc = JdbcClient.create(dataSource);
            this.node = node;
        }

        private EntityManager entities() {
            return Objects.requireNonNull(entities);
        }

        @BunnyHandler(from = "${test.node}")
        void on(Buy buy) throws InterruptedException {
            switch (buy.way()) {
                case ENTITY_MANAGER -> entities().persist(new Purchase(buy.code()));
                case TRANSACTIONAL_SERVICE -> service.save(buy.code());
                case JDBC_CLIENT ->
                    jdbc.sql("insert into purchase (id, code) values (nextval('purchase_seq'), ?)")
                            .param(buy.code())
                            .update();
            }
            boolean fails = attempts.size() < buy.failures();
            if (fails) {
                entities().flush();
            }
            String transaction = jdbc.sql("select pg_current_xact_id()::text")
                    .query(String.class)
                    .single();
            int claims = node.count(
                    "select count(*) from safebunny_message where node = ? and state <> 'RELEASED'", node.name);
            int purchases = node.count("select count(*) from purchase where code = ?", buy.code());
            attempts.add(new Attempt(transaction, claims + purchases));
            bunny.publish(new Bought(buy.code(), attempts.size()));
            assertThat(gate.await(10, TimeUnit.SECONDS)).isTrue();
            if (fails) {
                throw new IllegalStateException("on purpose");
            }
        }

        @BunnyHandler(from = "${test.node}")
        void on(Rename rename) {
            entities()
                            .createQuery("from purchase where code = :code", Purchase.class)
                            .setParameter("code", rename.code())
                            .getSingleResult()
                            .code =
                    rename.to();
            bunny.publish(new Bought(rename.to(), 0));
        }

        @BunnyHandler(from = "${test.node}")
        void on(Bought payload) {
            committedWhenPublished.add(node.count("select count(*) from purchase where code = ?", payload.code()));
            bought.add(payload);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Application {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of(Purchase.class.getName()));
            factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
            return factory;
        }

        @Bean
        PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        Purchases purchases() {
            return new Purchases();
        }

        @Bean
        Shop shop(Bunny bunny, Purchases purchases, DataSource dataSource, StoreNode node) {
            return new Shop(bunny, purchases, dataSource, node);
        }
    }
}
