// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.jdbc.fixture.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
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

/** Services of an application, with JPA and with plain JDBC in the same transactions. */
class OutboxWithJpaTest {

    @Entity(name = "purchase")
    static class Purchase {

        @Id
        private String id = "";

        Purchase() {}

        Purchase(String id) {
            this.id = id;
        }
    }

    static class Shop {

        private final OutboxUnderTest instance;
        private final JdbcClient jdbc;

        @PersistenceContext
        @Nullable
        private EntityManager entities;

        Shop(OutboxUnderTest instance) {
            this.instance = instance;
            this.jdbc = JdbcClient.create(instance.dataSource);
        }

        @Transactional
        public void order(String id) {
            Objects.requireNonNull(entities).persist(new Purchase(id));
            instance.publish(id, "ordered " + id);
        }

        @Transactional
        public void orderInVain(String id) {
            order(id);
            throw new IllegalStateException("out of stock");
        }

        @Transactional
        public void orderWithJdbc(String id) {
            jdbc.sql("insert into purchase (id) values (?)").param(id).update();
            instance.publish(id, "ordered " + id);
        }

        @Transactional(readOnly = true)
        public List<String> orders() {
            return jdbc.sql("select id from purchase order by id")
                    .query(String.class)
                    .list();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Application {

        @Bean
        OutboxUnderTest instance() {
            return OutboxUnderTest.on(TestDatabase.H2.pool()).started();
        }

        @Bean(destroyMethod = "") // other tests still use the pool
        DataSource dataSource(OutboxUnderTest instance) {
            return instance.dataSource;
        }

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
        Shop shop(OutboxUnderTest instance) {
            return new Shop(instance);
        }
    }

    @Test
    void whatAServiceWritesAndPublishesIsOneThing() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
            Shop shop = context.getBean(Shop.class);
            OutboxUnderTest instance = context.getBean(OutboxUnderTest.class);
            String first = "1-" + UUID.randomUUID();
            String second = "2-" + UUID.randomUUID();

            shop.order(first);
            assertThatThrownBy(() -> shop.orderInVain("3")).hasMessage("out of stock");
            shop.orderWithJdbc(second);
            assertThatThrownBy(() -> shop.orderWithJdbc(first)).isInstanceOf(RuntimeException.class);

            Awaitility.await().until(() -> instance.stored().isEmpty());
            assertThat(shop.orders()).containsExactly(first, second);
            assertThat(instance.sender.ids()).containsExactlyInAnyOrder("ordered " + first, "ordered " + second);
        }
    }
}
