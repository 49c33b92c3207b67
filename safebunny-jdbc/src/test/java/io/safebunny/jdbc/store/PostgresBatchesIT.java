// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.fixture.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.ConnectionCallback;

class PostgresBatchesIT extends BatchRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    /** Between the handler's writes and the commit. */
    @Test
    void whenTheSessionEndsNothingIsLostOrDoneTwice() {
        List<String> ended = new CopyOnWriteArrayList<>();
        handle(batch -> {
            if (ended.isEmpty()) {
                ended.add(batch);
                database().endSessionOfThisThread();
            }
        });

        assertAllAreHandledOnce();
    }

    /** Its next statement begins another transaction, so that the one at hand is open. */
    @Test
    void whenTheHandlerCommitsGoesOnAndFailsNothingIsLost() {
        List<String> ended = new CopyOnWriteArrayList<>();
        handle(batch -> {
            if (ended.isEmpty()) {
                ended.add(batch);
                sql.execute((ConnectionCallback<Boolean>) connection -> {
                    connection.commit();
                    return true;
                });
                Integer unused = sql.queryForObject("select 1", Integer.class);
                throw new IllegalStateException("after a commit of its own");
            }
        });

        assertAllHavePublished();
    }

    @Test
    void aBatchIsOneTransaction() {
        List<Long> transactions = new CopyOnWriteArrayList<>();
        handle(batch -> transactions.add(sql.queryForObject("select txid_current()", Long.class)));

        assertAllAreHandledOnce();
        assertThat(transactions).hasSize(1);
    }

    /** A constraint that is checked at the commit, which one of them violates. */
    @Test
    void whenTheCommitFailsTheOneIsFound() {
        sql.execute(
                "create table if not exists batch_once (number int, constraint batch_twice unique (number) deferrable initially deferred)");
        sql.update("delete from batch_once");
        sql.update("insert into batch_once values (3)");
        handle(batch -> batch.chars().forEach(number -> sql.update("insert into batch_once values (?)", number - '0')));

        assertOnlyIsPoison(3);
    }
}
