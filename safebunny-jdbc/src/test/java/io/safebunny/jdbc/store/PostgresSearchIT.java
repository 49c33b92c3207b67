// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who looks for a message by its id alone waits no longer than allowed, however long the database would take. */
class PostgresSearchIT {

    private static final TestDatabase DATABASE = TestDatabase.POSTGRESQL;

    @Test
    @Timeout(30)
    void aSearchEndsInTime() throws Exception {
        MessageStore store = new JdbcMessageStore(
                DATABASE.pool(),
                JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1)).withTimeout(Duration.ofMinutes(10)));
        try (Connection other = DATABASE.anotherPool().getConnection();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("lock table safebunny_message in access exclusive mode");

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> store.findCorrelationIds("m", 10, Duration.ofMillis(900)))
                    .withMessageContaining("could not be searched for a message id");
            other.rollback();
        }
        assertThat(store.findCorrelationIds("m", 10, Duration.ofSeconds(20))).isEmpty();
    }
}
