// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.transport.OutboundMessage;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Committed messages are sent once, and no others. */
@Timeout(60)
abstract class OutboxCommitRules {

    private OutboxUnderTest instance = OutboxUnderTest.on(TestDatabase.H2.pool());

    abstract TestDatabase database();

    @BeforeEach
    void start() {
        instance.close();
        instance = OutboxUnderTest.on(database().pool()).started();
    }

    @AfterEach
    void stop() {
        instance.outbox.stop();
        instance.close();
    }

    private void awaitEmptyTable() {
        Awaitility.await().until(() -> instance.stored().isEmpty());
    }

    private TransactionTemplate with(int propagation) {
        TransactionTemplate template =
                new TransactionTemplate(Objects.requireNonNull(instance.transaction.getTransactionManager()));
        template.setPropagationBehavior(propagation);
        return template;
    }

    @Test
    void aCommittedMessageIsSentOnceAsItWasAndDeleted() {
        OutboundMessage message = OutboxUnderTest.message("c", "m");
        instance.transaction.executeWithoutResult(status -> {
            assertThat(instance.outbox.add(message)).isTrue();
            assertThat(instance.sender.messages()).isEmpty();
            assertThat(instance.stored()).containsExactly("m");
        });
        awaitEmptyTable();
        assertThat(instance.sender.messages()).singleElement().satisfies(sent -> {
            assertThat(sent).usingRecursiveComparison().isEqualTo(message);
        });
        assertThat(instance.count("sent")).isEqualTo(1);
        assertThat(instance.count("relayed")).isZero();
    }

    @Test
    void nothingIsSentBeforeTheCommit() {
        instance.transaction.executeWithoutResult(status -> {
            instance.publish("c", "1");
            // meanwhile others go on, on another connection
            instance.outbox.start(instance.sender);
            Awaitility.await()
                    .during(Duration.ofMillis(300))
                    .until(() -> instance.sender.messages().isEmpty());
        });
        awaitEmptyTable();
    }

    @Test
    void aRolledBackMessageIsNeitherStoredNorSent() {
        instance.transaction.executeWithoutResult(status -> {
            instance.publish("c", "lost");
            status.setRollbackOnly();
        });
        assertThatThrownBy(() -> instance.transaction.executeWithoutResult(status -> {
                    instance.publish("c", "lost too");
                    throw new IllegalStateException("of the application");
                }))
                .hasMessage("of the application");
        assertThat(instance.stored()).isEmpty();
        instance.publishAndCommit("c", "kept");
        awaitEmptyTable();
        assertThat(instance.sender.ids()).containsExactly("kept");
    }

    @Test
    void whatIsRolledBackToASavepointIsNotSent() {
        instance.transaction.executeWithoutResult(status -> {
            instance.publish("c", "1");
            with(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                instance.publish("c", "undone");
                nested.setRollbackOnly();
            });
            with(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> instance.publish("c", "2"));
        });
        awaitEmptyTable();
        assertThat(instance.sender.ids()).containsExactly("1", "2");
    }

    @Test
    void aSavepointThatOnlyTheDatabaseKnowsCountsToo() {
        instance.transaction.executeWithoutResult(status -> {
            instance.publish("c", "1");
            instance.sql.execute((ConnectionCallback<Boolean>) connection -> {
                Savepoint savepoint = connection.setSavepoint();
                instance.publish("c", "undone");
                connection.rollback(savepoint);
                return true;
            });
            instance.publish("c", "2");
        });
        awaitEmptyTable();
        assertThat(instance.sender.ids()).containsExactly("1", "2");
    }

    @Test
    void anInnerTransactionOfItsOwnStandsAlone() {
        instance.transaction.executeWithoutResult(outer -> {
            instance.publish("a", "outer before");
            with(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> instance.publish("b", "inner"));
            Awaitility.await().until(() -> instance.sender.ids().equals(List.of("inner")));
            with(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> {
                instance.publish("b", "undone");
                inner.setRollbackOnly();
            });
            with(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                    .executeWithoutResult(none -> assertThat(instance.outbox.add(OutboxUnderTest.message("b", "now")))
                            .isFalse());
            instance.publish("a", "outer after");
        });
        awaitEmptyTable();
        assertThat(instance.sender.ids()).containsExactly("inner", "outer before", "outer after");
    }

    @Test
    void theOrderOfOneCorrelationIsThatOfTheCommits() {
        for (int i = 0; i < 50; i++) {
            instance.publishAndCommit("c", i + "a", i + "b");
        }
        awaitEmptyTable();
        assertThat(instance.sender.ids()).hasSize(100).isEqualTo(instance.sender.firstOf("c"));
        for (int i = 0; i < 50; i++) {
            assertThat(instance.sender.ids().subList(2 * i, 2 * i + 2)).containsExactly(i + "a", i + "b");
        }
    }

    /** Runs after the commit but before the outbox is told of it. */
    private static void rightAfterTheCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    @Test
    void whatAnotherOnesAfterCommitPublishesInItsOwnTransactionGoesSecond() {
        instance.transaction.executeWithoutResult(status -> {
            rightAfterTheCommit(() -> with(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> instance.publish("c", "2a", "2b")));
            instance.publish("c", "1a", "1b");
        });
        awaitEmptyTable();
        assertThat(instance.sender.ids()).containsExactly("1a", "1b", "2a", "2b");
        assertThat(instance.count("relayed")).isZero();
    }

    @Test
    void whatAnotherThreadPublishesAfterTheCommitGoesSecond() {
        instance.transaction.executeWithoutResult(status -> {
            rightAfterTheCommit(() -> CompletableFuture.runAsync(() -> instance.publishAndCommit("c", "2a", "2b"))
                    .join());
            instance.publish("c", "1a", "1b");
        });
        awaitEmptyTable();
        assertThat(instance.sender.ids()).containsExactly("1a", "1b", "2a", "2b");
        assertThat(instance.count("relayed")).isZero();
    }

    @Test
    void transactionsThatOverlapKeepEachItsOwnOrder() {
        instance.transaction.executeWithoutResult(outer -> {
            instance.publish("c", "1a");
            with(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> instance.publish("c", "2a", "2b"));
            instance.publish("c", "1b");
        });
        awaitEmptyTable();
        assertThat(instance.sender.ids())
                .hasSize(4)
                .containsSubsequence("1a", "1b")
                .containsSubsequence("2a", "2b");
    }

    @Test
    void aReadOnlyTransactionIsRefusedAndSaysWhy() {
        TransactionTemplate readOnly = with(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        assertThatThrownBy(() -> readOnly.executeWithoutResult(status -> instance.publish("c", "m")))
                .isInstanceOf(InvalidPublicationException.class)
                .hasMessageContaining("SB-2005")
                .hasMessageContaining("read-only");
        assertThat(instance.stored()).isEmpty();
    }

    @Test
    void aTransactionThatTellsNobodyOfItsEndIsRefusedAndSaysWhy() {
        JdbcTransactionManager silent = new JdbcTransactionManager(instance.dataSource);
        silent.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
        assertThatThrownBy(() ->
                        new TransactionTemplate(silent).executeWithoutResult(status -> instance.publish("c", "m")))
                .isInstanceOf(InvalidPublicationException.class)
                .hasMessageContainingAll("SB-2005", "transactionSynchronization=NEVER");
        assertThat(instance.stored()).isEmpty();
        assertThat(instance.sender.messages()).isEmpty();
    }

    @Test
    void withoutATransactionItIsNotStored() {
        assertThat(instance.outbox.add(OutboxUnderTest.message("c", "m"))).isFalse();
        assertThat(instance.stored()).isEmpty();
    }

    @Test
    void aTransactionOfAnotherDataSourceCountsAsNone() {
        TransactionTemplate other =
                new TransactionTemplate(new JdbcTransactionManager(database().anotherPool()));
        other.executeWithoutResult(status -> {
            assertThat(instance.outbox.add(OutboxUnderTest.message("c", "m"))).isFalse();
            // now a connection of our DataSource is bound to the thread without being part of the transaction
            new JdbcTemplate(instance.dataSource)
                    .queryForObject("select count(*) from safebunny_outbox", Integer.class);
            assertThat(instance.outbox.add(OutboxUnderTest.message("c", "m"))).isFalse();
        });
        assertThat(instance.stored()).isEmpty();
    }

    @Test
    void aMessageThatCouldNotBeStoredRollsTheTransactionBackEvenIfTheCallerGoesOn() {
        String tooLong = "c".repeat(200);
        assertThatThrownBy(() -> instance.transaction.executeWithoutResult(status -> {
                    instance.publish("c", "before");
                    assertThatThrownBy(() -> instance.publish(tooLong, "m"))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("Message m could not be stored in the outbox")
                            .hasMessageContaining("The transaction is rolled back");
                }))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(instance.stored()).isEmpty();
        assertThat(instance.sender.messages()).isEmpty();
    }

    @Test
    void whatIsPublishedAfterTheCommitButOnItsThreadIsSentToo() {
        List<Boolean> whenCompleted = new ArrayList<>();
        instance.transaction.executeWithoutResult(
                status -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        instance.publish("c", "late");
                    }

                    @Override
                    public void afterCompletion(int ended) {
                        whenCompleted.add(instance.outbox.add(OutboxUnderTest.message("c", "later still")));
                    }
                }));
        assertThat(whenCompleted).containsExactly(false);
        Awaitility.await().until(() -> instance.sender.ids().equals(List.of("late")));
        awaitEmptyTable();
    }

    @Test
    void whatIsPublishedAfterTheCommitOfATransactionThatHadPublishedIsSentToo() {
        instance.transaction.executeWithoutResult(status -> {
            instance.publish("c", "in time");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    instance.publish("c", "late");
                }
            });
        });
        Awaitility.await().until(() -> instance.sender.ids().equals(List.of("in time", "late")));
        awaitEmptyTable();
    }

    @Test
    void whatIsCommittedBeforeTheStartIsSentThen() {
        try (OutboxUnderTest early = OutboxUnderTest.on(database().pool())) {
            early.publishAndCommit("c", "1", "2");
            assertThat(early.stored()).hasSize(2);
            early.started();
            Awaitility.await().until(() -> early.stored().isEmpty());
            assertThat(early.sender.ids()).containsExactly("1", "2");
        }
    }
}
