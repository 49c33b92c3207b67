// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.jdbc.fixture.TestDatabase;
import java.sql.Connection;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Here indexes are created apart from their tables, so one may be missing. */
@Tag("once")
class PostgresSchemaCreationIT extends SchemaRaceRules {

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    String dueIndex() {
        return "outbox_due_order";
    }

    private boolean hasIndex() {
        return Boolean.TRUE.equals(
                sql.queryForObject("select to_regclass(?) is not null", Boolean.class, prefix + "message_ended"));
    }

    private void withoutAnIndex() {
        create();
        sql.execute("drop index " + prefix + "message_ended");
    }

    @Test
    void whatIsMissingIsCreatedOnceNobodyUsesTheTable() throws Exception {
        withoutAnIndex();
        Connection user = using("message");
        Future<?> creation = threads.submit(this::create);
        Awaitility.await()
                .until(() -> sql.queryForObject(
                        "select count(*) > 0 from pg_stat_activity where wait_event_type = 'Lock' and query like ?",
                        Boolean.class,
                        "create index if not exists " + prefix + "%"));
        end(user);
        creation.get(10, TimeUnit.SECONDS);
        assertThat(hasIndex()).isTrue();
    }

    @Test
    void nobodyWaitsLongBehindAStartThatWaitsAndTheStartGivesUp() throws Exception {
        withoutAnIndex();
        Connection user = using("message");
        try {
            Future<?> creation = threads.submit(() -> assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(this::create)
                    .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1422"))
                    .withMessageContaining(prefix + "message_ended"));
            while (!creation.isDone()) {
                long began = System.nanoTime();
                end(using("message"));
                assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began))
                        .isLessThan(10);
            }
            creation.get();
        } finally {
            end(user);
        }
    }
}
