// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.BrokenTransactionException;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A handler whose claim the database rolled back begins no further step, whatever the handler catches. */
@Timeout(60)
abstract class EndedTransactionRules {

    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private final List<String> steps = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private StepBench bench;

    abstract TestDatabase database();

    @BeforeEach
    void open() {
        bench = new StepBench(database());
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        bench.close();
    }

    private String step(Handling execution, String who, String name) {
        return execution.once(name, String.class, () -> {
            steps.add(who + " " + name);
            return "done";
        });
    }

    private void secondDelivery() throws Exception {
        threads.submit(() -> {
                    bench.deliver(bench.second, execution -> {
                        step(execution, "second", "a");
                        step(execution, "second", "b");
                    });
                    return true;
                })
                .get(30, TimeUnit.SECONDS);
    }

    @Test
    void aHandlerWhoseSessionWasEndedBeginsNoStepThatAnotherDeliveryHasDone() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(bench.first, execution -> {
                    step(execution, "first", "a");
                    database().endSessionOfThisThread();
                    secondDelivery();
                    step(execution, "first", "b");
                }))
                .satisfies(comesBack -> assertThat(comesBack.isTrouble()).isFalse());

        assertThat(steps).containsExactly("first a", "second b");
    }

    @Test
    void aHandlerWhoseSessionWasEndedBeginsNoStepAtAll() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> bench.deliver(bench.first, execution -> {
                    database().endSessionOfThisThread();
                    step(execution, "first", "a");
                }));

        assertThat(steps).isEmpty();
        assertThat(bench.judged).singleElement().isInstanceOf(BrokenTransactionException.class);
    }

    /** As MariaDB and MySQL do to a deadlock victim; a handler that catches the exception goes on in another transaction. */
    @Test
    void aHandlerWhoseTransactionWasRolledBackBeginsNoStep() {
        assertThatExceptionOfType(BrokenTransactionException.class)
                .isThrownBy(() -> bench.deliver(bench.first, execution -> {
                    step(execution, "first", "a");
                    Connection connection =
                            DataSourceUtils.getConnection(database().pool());
                    connection.rollback();
                    step(execution, "first", "b");
                }));

        assertThat(steps).containsExactly("first a");
    }

    @Test
    void aNextAttemptInMemoryBeginsTheStep() throws Exception {
        bench.deliver(bench.first, execution -> {
            step(execution, "first", "a");
            database().endSessionOfThisThread();
            assertThatExceptionOfType(BrokenTransactionException.class).isThrownBy(() -> step(execution, "first", "b"));
            execution.undoAttempt();
            step(execution, "first", "a");
            step(execution, "first", "b");
        });

        assertThat(steps).containsExactly("first a", "first b");
    }

    /** A new transaction suspends the handler's, so the claim is invisible within it. */
    @Test
    void aStepWithinATransactionOfTheHandlersOwnIsBegun() throws Exception {
        TransactionTemplate own =
                new TransactionTemplate(new JdbcTransactionManager(database().pool()));
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        bench.deliver(bench.first, execution -> own.executeWithoutResult(status -> step(execution, "first", "a")));

        assertThat(steps).containsExactly("first a");
    }
}
