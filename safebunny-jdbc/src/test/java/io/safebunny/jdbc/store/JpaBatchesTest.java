// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Batches need no savepoints, so JPA can have them. */
class JpaBatchesTest extends BatchRules {

    private final LocalContainerEntityManagerFactoryBean factory = factory();

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }

    private static LocalContainerEntityManagerFactoryBean factory() {
        LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
        bean.setDataSource(TestDatabase.H2.pool());
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of());
        bean.setJpaPropertyMap(Map.of());
        bean.afterPropertiesSet();
        return bean;
    }

    @Override
    MessageStore store(JdbcStoreOptions options) {
        return new TransactionalJdbcMessageStore(
                database().pool(), new JpaTransactionManager(Objects.requireNonNull(factory.getObject())), options);
    }

    @AfterEach
    void close() {
        factory.destroy();
    }
}
