// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.jdbc.fixture.TestDatabase;
import org.junit.jupiter.api.Test;

/** Threads run out for a moment and are available again later. */
class NoThreadTest {

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final RecordingSender sender = new RecordingSender();
    private boolean noThread;

    private void execute(Runnable task) {
        if (noThread) {
            throw new OutOfMemoryError("no thread (simulated)");
        }
        task.run();
    }

    @Test
    void doesNotEndTheRelay() {
        HikariDataSource pool = TestDatabase.H2.pool();
        OutboxUnderTest crashed = OutboxUnderTest.on(pool);
        JdbcOutbox outbox = new JdbcOutbox(
                pool, JdbcOutboxOptions.of(crashed.node), timeline, this::execute, new SimpleMeterRegistry());
        outbox.start(sender);
        noThread = true;
        timeline.advance(JdbcOutboxOptions.DEFAULT_RELAY_INTERVAL);
        noThread = false;
        try (crashed) {
            crashed.publishAndCommit("c", "left-behind");
            crashed.makeDue();
        }
        timeline.advance(JdbcOutboxOptions.DEFAULT_RELAY_INTERVAL.multipliedBy(2));

        assertThat(sender.ids()).containsExactly("left-behind");
        assertThat(crashed.stored()).isEmpty();
        outbox.stop();
    }
}
