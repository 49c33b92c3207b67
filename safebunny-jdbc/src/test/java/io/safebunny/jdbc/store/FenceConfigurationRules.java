// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A node for which {@code safebunny.store.jdbc.transactional} or the retention was changed between a step and its undo: the undo runs, and the step
 * is not handled after it, whether it was handled before, has failed, was set aside, or never came.
 */
@Timeout(60)
abstract class FenceConfigurationRules {

    private static final String STEP = "a-step";
    private static final String UNDO = "an-undo";
    private static final Timestamp LONG_AGO = Timestamp.valueOf("2020-01-01 00:00:00");

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final String saga = UUID.randomUUID().toString();
    private final String node = TestDatabase.newNode();
    private final List<String> done = new ArrayList<>();

    abstract TestDatabase database();

    @AfterEach
    void close() {
        timeline.close();
    }

    /** How a node is configured. */
    enum Configured {
        TRANSACTIONAL,
        PLAIN,
        /** Plain, and forgets what is older than a minute. */
        SHORT
    }

    private MessageStore store(Configured how) {
        JdbcStoreOptions options =
                JdbcStoreOptions.of(node, how == Configured.SHORT ? Duration.ofMinutes(1) : Duration.ofDays(7));
        return how == Configured.TRANSACTIONAL
                ? Instances.store(database().pool(), options)
                : new JdbcMessageStore(database().pool(), options);
    }

    /** As time and the sweeper do. */
    private void forget(Configured how) {
        if (how == Configured.SHORT) {
            new JdbcTemplate(database().pool())
                    .update("update safebunny_message set changed_at = ? where node = ?", LONG_AGO, node);
            assertThat(store(how).removeExpired(10)).isPositive();
            assertThat(store(how).find(new RecordKey(saga, STEP))).isNull();
        }
    }

    private void deliver(
            Configured to, String id, @Nullable String undoes, Function<Throwable, Failed> ifItFails, boolean fails)
            throws Exception {
        Envelope message = new Envelope(
                id,
                saga,
                "Order",
                "shop",
                1,
                null,
                0,
                0,
                timeline.now().toEpochMilli(),
                undoes,
                Map.of(),
                Map.of(),
                "application/json",
                id.getBytes(StandardCharsets.UTF_8));
        Instances.deliver(
                Instances.over(store(to), timeline, 5),
                new Handling(new CurrentHandling(), message),
                ifItFails,
                handling -> handling.attempt(() -> {
                    done.add(id);
                    if (fails) {
                        throw new IOException("failed");
                    }
                }));
    }

    private void step(Configured at) throws Exception {
        deliver(at, STEP, null, failure -> Ending.retried(Duration.ZERO, failure), false);
    }

    private void failingStep(Configured at, Function<Throwable, Failed> then) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> deliver(at, STEP, null, then, true));
    }

    private void undo(Configured at) throws Exception {
        deliver(at, UNDO, STEP, failure -> Ending.retried(Duration.ZERO, failure), false);
    }

    private void assertBarred() throws Exception {
        List<String> before = List.copyOf(done);
        for (Configured any : List.of(Configured.TRANSACTIONAL, Configured.PLAIN)) {
            step(any);
            undo(any);
        }
        assertThat(done)
                .as("neither runs again, whatever the node is configured as")
                .isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTIONAL, PLAIN", "PLAIN, TRANSACTIONAL", "PLAIN, SHORT", "TRANSACTIONAL, SHORT"})
    void aStepThatWasHandled(Configured before, Configured after) throws Exception {
        step(before);
        forget(after);
        undo(after);

        assertThat(done).containsExactly(STEP, UNDO);
        assertBarred();
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTIONAL, PLAIN", "PLAIN, TRANSACTIONAL"})
    void aStepThatFailedAndIsToBeRetried(Configured before, Configured after) throws Exception {
        failingStep(before, failure -> Ending.retried(Duration.ZERO, failure));
        undo(after);

        assertThat(done).containsExactly(STEP, UNDO);
        assertBarred();
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTIONAL, PLAIN", "PLAIN, TRANSACTIONAL"})
    void aStepThatWasSetAside(Configured before, Configured after) throws Exception {
        failingStep(before, failure -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure));
        undo(after);

        assertThat(done).containsExactly(STEP, UNDO);
        assertBarred();
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTIONAL, PLAIN", "PLAIN, TRANSACTIONAL"})
    void aStepThatComesAfterItsUndo(Configured ofTheUndo, Configured ofTheStep) throws Exception {
        undo(ofTheUndo);
        step(ofTheStep);

        assertThat(done).containsExactly(UNDO);
        assertBarred();
    }
}
