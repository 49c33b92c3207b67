// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionTemplate;

/** What a handler publishes in a transaction that it opens belongs to that transaction. */
@Timeout(60)
abstract class InnerTransactionRules {

    @SuppressWarnings("NullAway.Init")
    private Shop shop;

    abstract TestDatabase database();

    abstract StoreKind store();

    @BeforeEach
    void open() {
        shop = new Shop(database(), new JdbcTransactionManager(database().pool()), store(), false);
    }

    @AfterEach
    void close() {
        shop.close();
    }

    private void noteAndTell(String what) {
        shop.note(what);
        shop.tell(what);
    }

    private void fails(TransactionTemplate transaction, Runnable work) {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    work.run();
                    throw new IllegalStateException("declined");
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    /** Everything is as the database has it. */
    private void assertSent(String... expected) {
        assertThat(shop.sent).containsExactly(expected);
        assertThat(shop.notes()).containsExactlyInAnyOrder(expected);
        assertThat(shop.setAside()).isZero();
    }

    @Test
    void oneThatIsRolledBackTakesItAlong() {
        shop.order(0, (attempt, context) -> {
            noteAndTell("before");
            fails(shop.ofItsOwn(), () -> noteAndTell("lost"));
            noteAndTell("after");
        });

        assertSent("before", "after");
    }

    @Test
    void oneThatIsCommittedKeepsItThoughTheOneAroundItIsNot() {
        shop.order(
                0,
                (attempt, context) -> fails(shop.ofItsOwn(), () -> {
                    noteAndTell("lost");
                    shop.ofItsOwn().executeWithoutResult(status -> noteAndTell("kept"));
                    noteAndTell("lost too");
                }));

        assertSent("kept");
    }

    @Test
    void aNestedOneThatIsRolledBackTakesItAlong() {
        shop.order(0, (attempt, context) -> shop.joining().executeWithoutResult(outer -> {
            noteAndTell("before");
            fails(shop.nested(), () -> noteAndTell("lost"));
            shop.nested().executeWithoutResult(status -> noteAndTell("nested"));
            noteAndTell("after");
        }));

        assertSent("before", "nested", "after");
    }

    @Test
    void nestedOnesInANestedOneGoWithIt() {
        shop.order(0, (attempt, context) -> shop.joining()
                .executeWithoutResult(outer -> fails(shop.nested(), () -> {
                    noteAndTell("lost");
                    shop.nested().executeWithoutResult(status -> noteAndTell("lost too"));
                    shop.ofItsOwn().executeWithoutResult(status -> noteAndTell("kept"));
                })));

        assertSent("kept");
    }

    @Test
    void whatFollowsASavepointGoesWithItsRollback() {
        shop.order(0, (attempt, context) -> shop.joining().executeWithoutResult(status -> {
            noteAndTell("before");
            Object first = status.createSavepoint();
            noteAndTell("lost");
            Object second = status.createSavepoint();
            noteAndTell("lost too");
            status.rollbackToSavepoint(second);
            status.rollbackToSavepoint(first);
            noteAndTell("between");
            Object third = status.createSavepoint();
            noteAndTell("released");
            status.releaseSavepoint(third);
        }));

        assertSent("before", "between", "released");
    }

    /** Nothing has been published when the savepoint is made. */
    @Test
    void aSavepointAtTheBeginningCountsToo() {
        shop.order(0, (attempt, context) -> shop.ofItsOwn().executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            noteAndTell("lost");
            status.rollbackToSavepoint(savepoint);
            noteAndTell("kept");
        }));

        assertSent("kept");
    }

    @Test
    void aSuspendedOneGoesOnWhereItWas() {
        shop.order(0, (attempt, context) -> shop.joining().executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            noteAndTell("lost");
            shop.transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                    .executeWithoutResult(none -> noteAndTell("apart"));
            fails(shop.ofItsOwn(), () -> noteAndTell("lost too"));
            status.rollbackToSavepoint(savepoint);
            noteAndTell("kept");
        }));

        assertSent("apart", "kept");
    }

    @Test
    void oneThatSilentlyRollsBackTakesItAlong() {
        shop.order(0, (attempt, context) -> shop.ofItsOwn().executeWithoutResult(status -> {
            noteAndTell("lost");
            status.setRollbackOnly();
        }));

        assertSent();
    }

    @Test
    void aCommitThatFailsTakesItAlong() {
        shop.order(0, (attempt, context) -> {
            assertThatThrownBy(() -> shop.ofItsOwn().executeWithoutResult(status -> {
                        noteAndTell("lost");
                        Shop.register(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                throw new IllegalStateException("refused");
                            }
                        });
                    }))
                    .isInstanceOf(IllegalStateException.class);
            noteAndTell("kept");
        });

        assertSent("kept");
    }

    /** As ever: a message that is not handled publishes nothing, whatever was committed. */
    @Test
    void aHandlerThatFailsPublishesNothing() {
        shop.order(1, (attempt, context) -> {
            shop.ofItsOwn().executeWithoutResult(status -> noteAndTell("attempt " + attempt));
            if (attempt == 1) {
                throw new IllegalStateException("fails after an inner commit");
            }
        });

        assertThat(shop.sent).containsExactly("attempt 2");
        assertThat(shop.notes()).containsExactly("attempt 1", "attempt 2");
    }

    /** Two messages never share an id, and the same run gives the same ids. */
    @Test
    void whatWasDroppedLeavesItsIdUnused() {
        shop.order(0, (attempt, context) -> {
            fails(shop.ofItsOwn(), () -> shop.tell("lost"));
            shop.tell("kept");
            fails(shop.ofItsOwn(), () -> shop.tell("lost too"));
            shop.tell("kept too");
        });

        assertThat(shop.sent).containsExactly("kept", "kept too");
        assertThat(shop.ids).doesNotHaveDuplicates();
    }

    @Test
    void aStepStaysDone() {
        List<Integer> results = new ArrayList<>();
        shop.order(1, (attempt, context) -> {
            fails(shop.ofItsOwn(), () -> results.add(context.once("charge", Integer.class, () -> attempt)));
            if (attempt == 1) {
                throw new IllegalStateException("retried");
            }
        });

        assertThat(results).containsExactly(1, 1);
    }

    @Test
    void anotherThreadsTransactionCountsToo() {
        shop.order(0, (attempt, context) -> {
            Bunny publisher = context.publisher();
            CompletableFuture.runAsync(() -> {
                        fails(shop.ofItsOwn(), () -> publish(publisher, "lost"));
                        shop.ofItsOwn().executeWithoutResult(status -> publish(publisher, "kept"));
                    })
                    .join();
        });

        assertSent("kept");
    }

    private void publish(Bunny publisher, String what) {
        shop.note(what);
        Published unused =
                publisher.publish(new Shop.Told(what), PublishOptions.none().withIdempotencyKey(what));
    }

    @Test
    void oneThatIsStillOpenFailsTheHandler() throws Exception {
        CountDownLatch published = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        shop.order(0, (attempt, context) -> {
            Bunny publisher = context.publisher();
            Thread straggler = new Thread(() -> shop.ofItsOwn().executeWithoutResult(status -> {
                publish(publisher, "undecided");
                published.countDown();
                awaitUninterruptibly(returned);
            }));
            straggler.start();
            published.await();
        });
        returned.countDown();

        assertThat(shop.sent).isEmpty();
        assertThat(shop.setAside()).isEqualTo(1);
        assertThat(shop.broker.messages("shop-poison").get(0).headers().get("x-exception-message"))
                .asString()
                .contains("SB-2008");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void listenersOfItsCommitPublishAsPartOfTheHandler() {
        shop.order(0, (attempt, context) -> shop.ofItsOwn().executeWithoutResult(status -> {
            Shop.register(new Listener(shop));
            noteAndTell("in it");
        }));

        assertThat(shop.sent).containsExactly("in it", "before commit", "after commit", "after completion");
    }

    @Test
    void listenersOfItsRollbackPublishAsPartOfTheHandler() {
        shop.order(
                0,
                (attempt, context) -> fails(shop.ofItsOwn(), () -> {
                    Shop.whenEnded(
                            TransactionSynchronization.STATUS_ROLLED_BACK, () -> shop.tell("it was rolled back"));
                    noteAndTell("lost");
                }));

        assertThat(shop.sent).containsExactly("it was rolled back");
        assertThat(shop.notes()).isEmpty();
    }

    private record Listener(Shop shop) implements TransactionSynchronization {
        @Override
        public void beforeCommit(boolean readOnly) {
            shop.tell("before commit");
        }

        @Override
        public void afterCommit() {
            shop.tell("after commit");
        }

        @Override
        public void afterCompletion(int status) {
            shop.tell("after completion");
        }
    }
}
