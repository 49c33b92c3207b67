// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.MessageContext;
import io.safebunny.Published;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;

/** What listeners of the transaction publish in which a message is handled. */
@Timeout(60)
abstract class CommitListenerRules {

    private final Shop shop =
            new Shop(database(), new JdbcTransactionManager(database().pool()), StoreKind.TRANSACTIONAL, false);

    abstract TestDatabase database();

    @AfterEach
    void close() {
        shop.close();
    }

    private void afterCommit(Runnable action) {
        Shop.whenEnded(TransactionSynchronization.STATUS_COMMITTED, action);
    }

    @Test
    void beforeTheCommitItIsPartOfTheMessage() {
        shop.order(0, (attempt, context) -> {
            Shop.register(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    shop.note("listener");
                    shop.tell("listener");
                }
            });
            shop.tell("handler");
        });

        assertThat(shop.sent).containsExactly("handler", "listener");
        assertThat(shop.notes()).containsExactly("listener");
    }

    @Test
    void beforeACommitThatFailsItIsNotSent() {
        shop.order(0, (attempt, context) -> {
            Shop.register(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    shop.tell("listener");
                    throw new IllegalStateException("refused");
                }
            });
            shop.tell("handler");
        });

        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    private static void beforeCommit(Runnable action) {
        Shop.register(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                action.run();
            }
        });
    }

    private static void swallowed(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            assertThat(e).isNotNull();
        }
    }

    /** The store refuses what comes late: the message's record is not as it was left. */
    private void loseRecord(MessageContext context) {
        assertThat(shop.sql.update("delete from safebunny_message where message_id = ?", context.messageId()))
                .isEqualTo(1);
    }

    @Test
    void beforeTheCommitARefusalThatIsSwallowedFailsTheMessage() {
        try (CapturedLogs logs = CapturedLogs.start()) {
            shop.order(0, (attempt, context) -> {
                shop.note("handler");
                beforeCommit(() -> {
                    loseRecord(context);
                    swallowed(() -> shop.tell("listener"));
                });
                shop.tell("handler");
            });

            assertThat(logs.all().stream().map(LogLine::message)).noneMatch(text -> text.contains("SB-3016"));
        }
        assertThat(shop.sent).isEmpty();
        assertThat(shop.notes()).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    /** Spring swallows what is thrown when the inner transaction is over. */
    @Test
    void beforeTheCommitARefusalAfterATransactionOfItsOwnFailsTheMessage() {
        shop.order(0, (attempt, context) -> {
            beforeCommit(() -> {
                loseRecord(context);
                swallowed(() -> shop.ofItsOwn().executeWithoutResult(status -> shop.tell("listener")));
            });
            shop.tell("handler");
        });

        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    /** Whichever of the listeners comes last. */
    @Test
    void beforeTheCommitARefusalOfAListenerThatAnotherRegisteredLateFailsTheMessage() {
        shop.order(
                0,
                (attempt, context) -> beforeCommit(() -> {
                    loseRecord(context);
                    swallowed(() -> shop.tell("listener"));
                    beforeCommit(() -> {});
                }));

        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    @Test
    void aStepBeforeTheCommitThatIsRefusedFailsTheMessage() {
        shop.order(0, (attempt, context) -> {
            beforeCommit(() -> swallowed(() -> context.once("charge", () -> shop.note("charged"))));
            shop.tell("handler");
        });

        assertThat(shop.sent).isEmpty();
        assertThat(shop.notes()).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    @Test
    void asTheTransactionCompletesItIsPartOfTheMessage() {
        shop.order(
                0,
                (attempt, context) -> Shop.register(new TransactionSynchronization() {
                    @Override
                    public void beforeCompletion() {
                        shop.tell("before completion");
                    }

                    @Override
                    public void afterCommit() {
                        shop.tell("after commit");
                    }

                    @Override
                    public void afterCompletion(int status) {
                        shop.tell("after completion");
                    }
                }));

        assertThat(shop.sent).containsExactly("before completion", "after commit", "after completion");
    }

    @Test
    void afterTheCommitItIsSentAfterWhatTheHandlerPublished() {
        shop.order(0, (attempt, context) -> {
            afterCommit(() -> shop.tell("listener"));
            shop.tell("handler");
        });

        assertThat(shop.sent).containsExactly("handler", "listener");
        assertThat(shop.ids).doesNotHaveDuplicates();
        assertThat(shop.attempts).hasValue(1);
    }

    @Test
    void itIsSentAlthoughTheHandlerPublishedNothing() {
        shop.order(0, (attempt, context) -> afterCommit(() -> shop.tell("listener")));

        assertThat(shop.sent).containsExactly("listener");
    }

    @Test
    void inATransactionOfItsOwnItGoesWithThat() {
        shop.order(
                0,
                (attempt, context) -> afterCommit(() -> {
                    shop.ofItsOwn().executeWithoutResult(status -> {
                        shop.note("kept");
                        shop.tell("kept");
                    });
                    shop.ofItsOwn().executeWithoutResult(status -> {
                        shop.note("lost");
                        shop.tell("lost");
                        status.setRollbackOnly();
                    });
                }));

        assertThat(shop.sent).containsExactly("kept");
        assertThat(shop.notes()).containsExactly("kept");
    }

    @Test
    void beforeTheCommitInATransactionOfItsOwnItGoesWithBoth() {
        shop.order(
                0,
                (attempt, context) -> Shop.register(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        shop.ofItsOwn().executeWithoutResult(status -> shop.tell("kept"));
                        shop.ofItsOwn().executeWithoutResult(status -> {
                            shop.tell("lost");
                            status.setRollbackOnly();
                        });
                    }
                }));

        assertThat(shop.sent).containsExactly("kept");
    }

    /** The handling's own transaction was suspended, and rolled back to a savepoint, meanwhile. */
    @Test
    void whatIsLeftOfNestedOnesIsSentWithWhatListenersPublish() {
        shop.order(0, (attempt, context) -> {
            afterCommit(() -> shop.tell("listener"));
            shop.nested().executeWithoutResult(status -> {
                shop.tell("lost");
                status.setRollbackOnly();
            });
            shop.tell("handler");
        });

        assertThat(shop.sent).containsExactly("handler", "listener");
    }

    @Test
    void itMakesNoDifferenceByWhatTheyPublish() {
        shop.order(0, (attempt, context) -> {
            Bunny publisher = context.publisher();
            afterCommit(() -> {
                Published unused = publisher.publish(new Shop.Told("listener"));
            });
        });

        assertThat(shop.sent).containsExactly("listener");
    }

    @Test
    void atTheRollbackItIsRefusedAndSaid() {
        try (CapturedLogs logs = CapturedLogs.start()) {
            shop.order(1, (attempt, context) -> {
                Shop.whenEnded(TransactionSynchronization.STATUS_ROLLED_BACK, () -> shop.tell("listener " + attempt));
                throw new IllegalStateException("declined");
            });

            assertThat(logs.all().stream().map(LogLine::message).filter(text -> text.contains("SB-3016")))
                    .hasSize(2);
        }
        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
    }

    @Test
    void atTheRollbackItMayBeSentAtOnce() {
        shop.order(0, (attempt, context) -> {
            Shop.whenEnded(TransactionSynchronization.STATUS_ROLLED_BACK, () -> shop.tellNow("listener"));
            throw new IllegalStateException("declined");
        });

        await().untilAsserted(() -> assertThat(shop.sent).containsExactly("listener"));
    }

    @Test
    void aStepAfterTheCommitIsRefusedAndSaid() {
        try (CapturedLogs logs = CapturedLogs.start()) {
            shop.order(0, (attempt, context) -> afterCommit(() -> context.once("charge", () -> shop.note("charged"))));

            assertThat(logs.all().stream().map(LogLine::message).filter(text -> text.contains("SB-3016")))
                    .hasSize(1);
        }
        assertThat(shop.notes()).isEmpty();
        assertThat(shop.setAside()).isZero();
    }
}
