// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.another;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.message.Envelope;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an outage with thousands of messages waiting, or thousands of forged ones, cost in the log. */
class OutageLogTest {

    private static final int BACKLOG = 3_000;

    private final LogLines log = new LogLines("io.safebunny.dedup");
    private final DedupBench bench = new DedupBench();

    @AfterEach
    void close() {
        log.close();
    }

    private void notHandled(int number, DedupBench.Handler handler) {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(bench.instance, another(number), handler));
    }

    @Test
    void ofTheStoreIsToldWhenItBeginsAndWhenItEnds() throws Exception {
        bench.store.down(true);
        for (int i = 1; i <= BACKLOG; i++) {
            notHandled(i, execution -> {});
            bench.timeline.advance(Duration.ofMillis(100));
        }
        assertThat(log.texts()).singleElement().asString().contains("does not answer", "another-1]");

        bench.store.down(false);
        for (int i = 1; i <= BACKLOG; i++) {
            bench.deliver(bench.instance, another(i), execution -> {});
        }
        bench.timeline.advance(Duration.ofSeconds(1));

        assertThat(log.texts()).hasSize(2).last().asString().contains("over after 300 s", "2,999 more", "another-3000");
        assertThat(bench.runs).hasSize(BACKLOG);
    }

    @Test
    void ofTheStoreAtTheCompletionIsToldOnce() {
        for (int i = 1; i <= 200; i++) {
            notHandled(i, execution -> bench.store.down(true));
            bench.store.down(false);
        }

        // each is written again for half a minute, five times a second: 30,000 tries within 100 minutes
        assertThat(bench.timeline.elapsed()).isGreaterThan(Duration.ofMinutes(90));
        assertThat(log.texts()).hasSizeLessThan(2 * 101);
    }

    @Test
    void ofTheStoreIsToldOnceBySweeperMarksAndRenewalsToo() throws Exception {
        bench.deliver(execution -> bench.publish());
        bench.instance.start();
        bench.store.down(true);
        bench.timeline.advance(Duration.ofHours(1));

        assertThat(log.texts()).hasSize(1);
        bench.store.down(false);
        bench.timeline.advance(Duration.ofMinutes(1));

        assertThat(log.texts()).hasSize(2).last().asString().contains("over after");
    }

    @Test
    void forgedAttemptsAreCountedToo() throws Exception {
        try (LogLines infos = new LogLines("io.safebunny.dedup.claim.Attempts", Level.INFO)) {
            for (int i = 1; i <= BACKLOG; i++) {
                Envelope forged = Wires.orderPlaced()
                        .with("message_id", "another-" + i)
                        .withHeader("sb-attempt", 9)
                        .envelope();
                bench.deliver(bench.instance, forged, execution -> {});
            }
            bench.timeline.advance(Duration.ofMinutes(2));

            assertThat(infos.texts()).hasSize(21).last().asString().contains("2,980 more", "another-3000");
        }
    }

    @Test
    void ofTheBrokerIsToldWhenItBeginsAndWhenItEnds() throws Exception {
        bench.transport.answerAll(RecordingTransport.SILENCE);
        for (int i = 1; i <= 300; i++) {
            notHandled(i, execution -> bench.publish());
        }
        assertThat(log.texts()).singleElement().asString().contains("not confirmed", "another-1 ");

        bench.transport.answerAll(RecordingTransport.CONFIRM);
        for (int i = 1; i <= 300; i++) {
            bench.deliver(bench.instance, another(i), execution -> {});
        }
        bench.timeline.advance(Duration.ofSeconds(1));

        assertThat(log.texts()).hasSize(2).last().asString().contains("over after", "299 more", "another-300");
        assertThat(bench.transport.published()).hasSize(300);
    }
}
