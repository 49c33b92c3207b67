// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.BrokenTransactionException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** After a failed statement PostgreSQL refuses everything else in the transaction, including the completion of the message. */
class SpoiltTransactionIT {

    private final StepBench bench = new StepBench(TestDatabase.POSTGRESQL);
    private final JdbcTemplate sql = new JdbcTemplate(TestDatabase.POSTGRESQL.pool());

    @AfterEach
    void close() {
        bench.close();
    }

    private void deliver(Runnable handler) throws Exception {
        bench.deliver(bench.first, execution -> handler.run());
    }

    @Test
    void isTheHandlersFailureAndNotTheStores() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(() -> {
                    try {
                        sql.execute("insert into nowhere values (1)");
                    } catch (DataAccessException e) {
                        return; // "never mind"
                    }
                }));

        assertThat(bench.judged).singleElement().isInstanceOf(BrokenTransactionException.class);
    }

    /** The driver reports a commit that rolls back as done. */
    @Test
    void isAFailureIfAListenerBeforeTheCommitHasSpoiltIt() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(() ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                assertThatExceptionOfType(DataAccessException.class)
                                        .isThrownBy(() -> sql.execute("insert into nowhere values (1)"));
                            }
                        })));

        assertThat(bench.judged).singleElement().isInstanceOf(BrokenTransactionException.class);
    }

    /** Spring swallows what it throws. */
    @Test
    void isAFailureIfAListenerOfTheCompletionHasSpoiltIt() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(() ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCompletion() {
                                sql.execute("insert into nowhere values (1)");
                            }
                        })));

        assertThat(bench.judged).singleElement().isInstanceOf(BrokenTransactionException.class);
    }

    @Test
    void beginsNoStep() {
        List<String> steps = new ArrayList<>();
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> bench.deliver(bench.first, execution -> {
                    assertThatExceptionOfType(DataAccessException.class)
                            .isThrownBy(() -> sql.execute("insert into nowhere values (1)"));
                    execution.once("charge", String.class, () -> {
                        steps.add("charge");
                        return "done";
                    });
                }));

        assertThat(steps).isEmpty();
        assertThat(bench.judged).singleElement().isInstanceOf(BrokenTransactionException.class);
    }

    @Test
    void isTheHandlersFailureTooWhenTheDatabaseEndsTheConnection() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> deliver(TestDatabase.POSTGRESQL::endSessionOfThisThread));

        assertThat(bench.judged).hasSize(1);
    }
}
