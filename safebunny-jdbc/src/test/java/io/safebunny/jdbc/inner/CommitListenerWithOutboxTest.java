// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;

/** A listener that is told how the handling ended, and begins a transaction: what it publishes is stored in that, by the outbox. */
@Timeout(60)
class CommitListenerWithOutboxTest {

    private final Shop shop = new Shop(
            TestDatabase.H2, new JdbcTransactionManager(TestDatabase.H2.pool()), StoreKind.TRANSACTIONAL, true);

    @AfterEach
    void close() {
        shop.close();
    }

    private void publishesInATransaction(String what, boolean rollsBack) {
        shop.ofItsOwn().executeWithoutResult(status -> {
            shop.note(what);
            shop.tell(what);
            if (rollsBack) {
                status.setRollbackOnly();
            }
        });
    }

    @Test
    void afterTheCommitItsTransactionDecides() {
        shop.order(0, (attempt, context) -> {
            Shop.whenEnded(TransactionSynchronization.STATUS_COMMITTED, () -> {
                publishesInATransaction("kept", false);
                publishesInATransaction("lost", true);
                shop.tell("of the message");
            });
            publishesInATransaction("handler", false);
        });

        await().untilAsserted(
                        () -> assertThat(shop.sent).containsExactlyInAnyOrder("kept", "of the message", "handler"));
        assertThat(shop.notes()).containsExactly("handler", "kept");
        assertThat(shop.ids).doesNotHaveDuplicates();
    }

    @Test
    void afterTheRollbackItsTransactionDecides() {
        shop.order(1, (attempt, context) -> {
            Shop.whenEnded(
                    TransactionSynchronization.STATUS_ROLLED_BACK,
                    () -> publishesInATransaction("failed " + attempt, false));
            throw new IllegalStateException("declined");
        });

        await().untilAsserted(() -> assertThat(shop.sent).containsExactlyInAnyOrder("failed 1", "failed 2"));
        assertThat(shop.notes()).containsExactly("failed 1", "failed 2");
        assertThat(shop.setAside()).isEqualTo(1);
    }
}
