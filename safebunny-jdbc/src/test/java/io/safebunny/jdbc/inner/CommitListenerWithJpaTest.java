// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.jdbc.fixture.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Transient;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionSynchronization;

/** Callbacks of entities, at a flush or at the commit; and inner transactions of JPA. */
@Timeout(60)
class CommitListenerWithJpaTest {

    private final LocalContainerEntityManagerFactoryBean bean = factory();
    private final EntityManager entities =
            SharedEntityManagerCreator.createSharedEntityManager(Objects.requireNonNull(bean.getObject()));
    private final Shop shop = new Shop(TestDatabase.H2, manager(), StoreKind.TRANSACTIONAL, false);

    private static LocalContainerEntityManagerFactoryBean factory() {
        LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
        bean.setDataSource(TestDatabase.H2.pool());
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of(Letter.class.getName()));
        bean.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "update"));
        bean.afterPropertiesSet();
        return bean;
    }

    private JpaTransactionManager manager() {
        EntityManagerFactory factory = Objects.requireNonNull(bean.getObject());
        return new JpaTransactionManager(factory);
    }

    @AfterEach
    void close() {
        shop.close();
        bean.destroy();
    }

    @Test
    void whatAnEntityPublishesAtTheFlushOfTheCommitIsPartOfTheMessage() {
        Letter letter = new Letter(() -> shop.tell("entity"));
        shop.order(0, (attempt, context) -> {
            entities.persist(letter);
            shop.tell("handler");
        });

        assertThat(shop.sent).containsExactly("handler", "entity");
        assertThat(entities.find(Letter.class, letter.id)).isNotNull();
    }

    @Test
    void whatAnEntityPublishesAtACommitThatFailsIsNotSent() {
        shop.order(0, (attempt, context) -> {
            entities.persist(new Letter(() -> shop.tell("first")));
            entities.persist(new Letter(() -> {
                throw new IllegalStateException("refused");
            }));
        });

        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    @Test
    void anInnerTransactionThatItsFlushFailsTakesItAlong() {
        shop.order(0, (attempt, context) -> {
            assertThatThrownBy(() -> shop.ofItsOwn().executeWithoutResult(status -> {
                        shop.tell("lost");
                        entities.persist(new Letter(() -> {
                            throw new IllegalStateException("refused");
                        }));
                        entities.flush();
                    }))
                    .isInstanceOf(IllegalStateException.class);
            shop.tell("kept");
        });

        assertThat(shop.sent).containsExactly("kept");
    }

    @Test
    void whatIsPersistedInATransactionAfterTheCommitGoesWithItsMessage() {
        Letter letter = new Letter(() -> shop.tell("entity"));
        shop.order(
                0,
                (attempt, context) -> Shop.whenEnded(TransactionSynchronization.STATUS_COMMITTED, () -> shop.ofItsOwn()
                        .executeWithoutResult(status -> entities.persist(letter))));

        assertThat(shop.sent).containsExactly("entity");
        assertThat(entities.find(Letter.class, letter.id)).isNotNull();
    }

    @Entity(name = "letter")
    static class Letter {

        @Id
        private String id = UUID.randomUUID().toString();

        @Transient
        private final @Nullable Runnable whenPersisted;

        Letter() {
            this(null);
        }

        Letter(@Nullable Runnable whenPersisted) {
            this.whenPersisted = whenPersisted;
        }

        @PostPersist
        void persisted() {
            if (whenPersisted != null) {
                whenPersisted.run();
            }
        }
    }
}
