// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** Event listeners of Spring's, as applications write them. */
@Timeout(60)
class EventListenerTest {

    public record Placed() {}

    public static class Listeners {

        private @Nullable Shop shop;

        private void tell(String what) {
            Objects.requireNonNull(shop).tell(what);
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void beforeCommit(Placed event) {
            tell("before commit");
        }

        @Order(Ordered.HIGHEST_PRECEDENCE)
        @TransactionalEventListener
        public void afterCommit(Placed event) {
            tell("after commit");
        }

        @TransactionalEventListener
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void afterCommitInATransaction(Placed event) {
            Objects.requireNonNull(shop).note("after commit in a transaction");
            tell("after commit in a transaction");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void afterRollback(Placed event) {
            tell("after rollback");
        }
    }

    @Configuration
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new JdbcTransactionManager(TestDatabase.H2.pool());
        }

        @Bean
        Listeners listeners() {
            return LISTENERS;
        }
    }

    private static final Listeners LISTENERS = new Listeners();

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Application.class);
    private final Shop shop = new Shop(
            TestDatabase.H2, context.getBean(PlatformTransactionManager.class), StoreKind.TRANSACTIONAL, false);

    @AfterEach
    void close() {
        shop.close();
        context.close();
    }

    @Test
    void publishAsPartOfTheMessage() {
        LISTENERS.shop = shop;
        shop.order(0, (attempt, message) -> {
            context.publishEvent(new Placed());
            shop.tell("handler");
        });

        assertThat(shop.sent)
                .containsExactly("handler", "before commit", "after commit", "after commit in a transaction");
        assertThat(shop.notes()).containsExactly("after commit in a transaction");
    }

    @Test
    void ofATransactionThatTheHandlerHasRolledBackPublishAsPartOfTheMessage() {
        LISTENERS.shop = shop;
        shop.order(0, (attempt, message) -> shop.ofItsOwn().executeWithoutResult(status -> {
            context.publishEvent(new Placed());
            shop.tell("lost");
            status.setRollbackOnly();
        }));

        assertThat(shop.sent).containsExactly("after rollback");
    }
}
