// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages that cannot be counted are sent and settled all the same. */
class FailingRegistryTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void holdsNoCorrelation() {
        meters.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                throw new NoSuchMethodError("simulated");
            }
        });
        HikariDataSource pool = TestDatabase.H2.pool();
        RecordingSender sender = new RecordingSender();
        JdbcOutbox outbox = new JdbcOutbox(
                pool, JdbcOutboxOptions.of(TestDatabase.newNode()), new VirtualTimeline(), Runnable::run, meters);
        outbox.start(sender);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
        for (String id : new String[] {"first", "second"}) {
            transaction.executeWithoutResult(status ->
                    assertThat(outbox.add(OutboxUnderTest.message("c", id))).isTrue());
        }

        assertThat(sender.ids()).containsExactly("first", "second");
        outbox.stop();
    }
}
