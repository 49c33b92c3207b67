// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.ApplicationCodeException;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.hibernate.annotations.TenantId;
import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Hibernate asks for the tenant when the transaction begins, which is before a handler or a middleware can set it. */
@Timeout(60)
class TenantByThreadTest {

    private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    private final HikariDataSource pool = TestDatabase.H2.pool();
    private final LocalContainerEntityManagerFactoryBean bean = factory();
    private final EntityManagerFactory factory = Objects.requireNonNull(bean.getObject());
    private final EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    private final SystemTimeline timeline = new SystemTimeline("test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, threads);
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final BlockingQueue<MessageGivenUp> givenUp = new LinkedBlockingQueue<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final String note = UUID.randomUUID().toString();
    private @Nullable SafeBunnyEngine engine;

    private record Order(String id) {}

    @Entity(name = "tenant_note")
    static class Note {

        @Id
        private String id = "";

        @TenantId
        @SuppressWarnings("UnusedVariable") // Hibernate sets it
        private @Nullable String tenant;

        Note() {}

        Note(String id) {
            this.id = id;
        }
    }

    /** As strict as the one of a careful application. */
    static final class Insisting implements CurrentTenantIdentifierResolver<String> {

        @Override
        public String resolveCurrentTenantIdentifier() {
            String tenant = TENANT.get();
            if (tenant == null) {
                throw new IllegalStateException("no tenant on this thread");
            }
            return tenant;
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }
    }

    private LocalContainerEntityManagerFactoryBean factory() {
        LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
        bean.setDataSource(pool);
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of(Note.class.getName()));
        bean.setJpaPropertyMap(Map.of(
                "hibernate.hbm2ddl.auto",
                "update",
                MultiTenancySettings.MULTI_TENANT_IDENTIFIER_RESOLVER,
                new Insisting()));
        bean.afterPropertiesSet();
        return bean;
    }

    @AfterEach
    void stop() {
        if (engine != null) {
            engine.stop(Duration.ofSeconds(5));
        }
        bean.destroy();
        threads.shutdownNow();
        timeline.close();
    }

    private static ContextPropagator fromHeader() {
        return message -> {
            if (message.headers().get("tenant") instanceof String tenant) {
                TENANT.set(tenant);
            }
            return TENANT::remove;
        };
    }

    private static JdbcStoreOptions options() {
        return JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1));
    }

    private MessageStore withJpa() {
        return new TransactionalJdbcMessageStore(pool, new JpaTransactionManager(factory), options());
    }

    private void handle(MessageStore store, ContextPropagator propagator, @Nullable String tenant) {
        engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("shop"), new MemoryTransport(broker, TopologyOptions.defaults()), timeline)
                .store(store)
                .contextPropagators(List.of(propagator))
                .breakers(breakers)
                .callbacks(threads)
                .listeners(List.of(this::told))
                .build());
        engine.start(List.of(new HandlerDefinition(
                "test.on(Order)",
                "Order",
                Order.class,
                List.of("shop"),
                1,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, Duration.ofMillis(10))),
                (payload, context) -> {
                    runs.incrementAndGet();
                    entities.persist(new Note(note));
                })));
        PublishOptions options = PublishOptions.none();
        Published unused =
                engine.bunny().publish(new Order("1"), tenant == null ? options : options.withHeader("tenant", tenant));
    }

    private void told(SafeBunnyEvent event) {
        if (event instanceof MessageGivenUp end) {
            givenUp.add(end);
        }
    }

    private List<String> tenantsOfTheNote() {
        return new JdbcTemplate(pool).queryForList("select tenant from tenant_note where id = ?", String.class, note);
    }

    @Test
    void whatIsWrittenBelongsToTheTenantOfTheMessage() {
        handle(withJpa(), fromHeader(), "acme");

        await().until(() -> runs.get() > 0 && broker.isIdle());
        assertThat(tenantsOfTheNote()).containsExactly("acme");
        assertThat(TENANT.get()).isNull();
    }

    @Test
    void aTenantThatIsMissingIsAFailureOfTheMessageAndNotOfTheDatabase() throws InterruptedException {
        handle(withJpa(), fromHeader(), null);

        MessageGivenUp end = givenUp.poll(20, TimeUnit.SECONDS);
        assertThat(end).isNotNull();
        assertThat(end.exceptionType()).isEqualTo(ApplicationCodeException.class.getName());
        assertThat(end.reason()).isEqualTo("retries-exhausted");
        assertThat(end.attempt()).isEqualTo(1);
        assertThat(runs).hasValue(0);
        assertThat(breakers.state(Order.class)).isEqualTo(BunnyCircuitBreaker.State.CLOSED);
    }

    @Test
    void aDataSourceThatRefusesIsNoOutageEither() throws InterruptedException {
        DataSource insisting = new InsistingDataSource();
        handle(
                inTenant(() ->
                        new TransactionalJdbcMessageStore(insisting, new JdbcTransactionManager(insisting), options())),
                message -> () -> {},
                null);

        assertThat(givenUp.poll(20, TimeUnit.SECONDS))
                .isNotNull()
                .extracting(MessageGivenUp::exceptionType)
                .isEqualTo(ApplicationCodeException.class.getName());
    }

    @Test
    void aLazyOneThatRefusesTheFirstStatementIsNoOutageEither() throws InterruptedException {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
        lazy.setDefaultAutoCommit(true);
        lazy.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        lazy.setTargetDataSource(new InsistingDataSource());
        handle(
                inTenant(() -> new TransactionalJdbcMessageStore(lazy, new JdbcTransactionManager(lazy), options())),
                message -> () -> {},
                null);

        assertThat(givenUp.poll(20, TimeUnit.SECONDS))
                .isNotNull()
                .extracting(MessageGivenUp::exceptionType)
                .isEqualTo(ApplicationCodeException.class.getName());
    }

    @Test
    void soItIsForAStoreApart() throws InterruptedException {
        handle(inTenant(() -> new JdbcMessageStore(new InsistingDataSource(), options())), message -> () -> {}, null);

        assertThat(givenUp.poll(20, TimeUnit.SECONDS))
                .isNotNull()
                .extracting(MessageGivenUp::exceptionType)
                .isEqualTo(ApplicationCodeException.class.getName());
    }

    /** The transaction of the message cannot be part of another one. */
    @Test
    void aContextThatLeavesATransactionOpenIsNoOutageEither() throws InterruptedException {
        handle(
                withJpa(),
                message -> {
                    TENANT.set("acme");
                    TransactionSynchronizationManager.setActualTransactionActive(true);
                    return () -> {
                        TransactionSynchronizationManager.setActualTransactionActive(false);
                        TENANT.remove();
                    };
                },
                null);

        assertThat(givenUp.poll(20, TimeUnit.SECONDS))
                .isNotNull()
                .extracting(MessageGivenUp::exceptionType)
                .isEqualTo(MisuseException.class.getName());
    }

    private static MessageStore inTenant(Supplier<MessageStore> store) {
        TENANT.set("acme");
        try {
            return store.get();
        } finally {
            TENANT.remove();
        }
    }

    /** One of the application's own. */
    private final class InsistingDataSource extends DelegatingDataSource {

        InsistingDataSource() {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (TENANT.get() == null) {
                throw new IllegalStateException("no tenant on this thread");
            }
            return super.getConnection();
        }
    }
}
