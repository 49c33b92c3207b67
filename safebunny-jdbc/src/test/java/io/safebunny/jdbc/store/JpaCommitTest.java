// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.jdbc.fixture.Records;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.MessageRecord;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Outcomes of a commit during which JPA flushes. */
class JpaCommitTest {

    private final LocalContainerEntityManagerFactoryBean bean = factory();
    private final EntityManagerFactory factory = Objects.requireNonNull(bean.getObject());
    private final EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    private final TransactionalJdbcMessageStore store = new TransactionalJdbcMessageStore(
            TestDatabase.H2.pool(),
            new JpaTransactionManager(factory),
            JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)));

    private static LocalContainerEntityManagerFactoryBean factory() {
        LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
        bean.setDataSource(TestDatabase.H2.pool());
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of(Parcel.class.getName()));
        bean.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "update"));
        bean.afterPropertiesSet();
        return bean;
    }

    @AfterEach
    void close() {
        bean.destroy();
    }

    @Test
    void anEntityThatRefusesToBeWrittenRollsItBackForSure() {
        MessageRecord claim = Records.claim(Records.key(), "a");
        LocalTransaction transaction = store.begin();
        store.create(claim);
        Parcel parcel = new Parcel();
        entities.persist(parcel);
        entities.flush();
        parcel.weight = -1;

        assertThatThrownBy(transaction::commit)
                .hasRootCauseInstanceOf(InvalidParcelException.class)
                .isNotInstanceOf(StoreUnavailableException.class);
        assertThat(store.find(claim.key())).isNull();
    }

    @Test
    void whatIsFlushedIsCommittedWithTheRecord() {
        MessageRecord claim = Records.claim(Records.key(), "a");
        LocalTransaction transaction = store.begin();
        store.create(claim);
        Parcel parcel = new Parcel();
        entities.persist(parcel);
        transaction.commit();

        assertThat(store.find(claim.key())).isEqualTo(claim);
        assertThat(entities.find(Parcel.class, parcel.id)).isNotNull();
    }

    @Entity(name = "parcel")
    static class Parcel {

        @Id
        private String id = UUID.randomUUID().toString();

        private int weight = 1;

        @PreUpdate
        void validate() {
            if (weight < 0) {
                throw new InvalidParcelException();
            }
        }
    }

    static class InvalidParcelException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
