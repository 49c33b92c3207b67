// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** A replay repeats no step, however late: where the claim is a transaction, steps are in a record of their own. */
abstract class PoisonedStepsRules {

    private static final Duration RETENTION = Duration.ofHours(1);

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final String node = TestDatabase.newNode();
    private final String saga = UUID.randomUUID().toString();
    private final RecordKey message = new RecordKey(saga, "id");
    private final RecordKey steps = message.companionApart("steps");
    private final List<Integer> charged = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private TransactionalJdbcMessageStore store;

    @SuppressWarnings("NullAway.Init")
    private Deduplication instance;

    abstract TestDatabase database();

    @BeforeEach
    void open() {
        store = Instances.store(database().pool(), JdbcStoreOptions.of(node, RETENTION));
        instance = Instances.over(store, timeline, 5);
    }

    @AfterEach
    void close() {
        timeline.close();
    }

    private void deliver(Map<String, Object> headers, boolean fails) throws Exception {
        Envelope delivered = EnvelopeReader.read(new WireMessage(
                "id", saga, "Order", null, null, null, null, headers, "{}".getBytes(StandardCharsets.UTF_8)));
        Instances.deliver(
                instance,
                new Handling(new CurrentHandling(), delivered),
                failure -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure),
                handling -> handling.attempt(() -> {
                    int unused = handling.once("charge", Integer.class, () -> {
                        charged.add(4711);
                        return 4711;
                    });
                    if (fails) {
                        throw new IOException("failed");
                    }
                }));
    }

    private void setAside() {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> deliver(Map.of(), true));
    }

    private void replay() throws Exception {
        deliver(
                Map.of(
                        Headers.POISONED_AT,
                        1L,
                        Headers.POISON_VERSION,
                        stored(message).version()),
                false);
    }

    private MessageRecord stored(RecordKey key) {
        return Objects.requireNonNull(store.find(key));
    }

    private void requireStates(RecordState state) {
        assertThat(stored(message).state()).isEqualTo(state);
        assertThat(stored(steps).state()).isEqualTo(state);
    }

    @Test
    void aReplayAfterTheRetentionRepeatsNoStep() throws Exception {
        setAside();
        requireStates(RecordState.POISONED);
        database().age(RETENTION.multipliedBy(24 * 30));
        assertThat(store.removeExpired(100)).isZero();

        replay();

        assertThat(charged).hasSize(1);
        requireStates(RecordState.DISPATCHED);
        database().age(RETENTION.plusSeconds(1));
        assertThat(store.removeExpired(100)).isEqualTo(2);
    }

    private void moveStepsToWhereAnEarlierSnapshotKeptThem(JdbcTemplate sql) {
        String rest =
                "owner, version, attempt, takeovers, lease_ms, fingerprint, fingerprint_low, format, steps, outgoing, changed_at";
        sql.update(
                "insert into safebunny_message (node, correlation_id, message_id, state, %1$s) select node, correlation_id, 'id~steps', 'DISPATCHED', %1$s from safebunny_step where node = ?"
                        .formatted(rest),
                node);
        sql.update("delete from safebunny_step where node = ?", node);
    }

    /** Which left the state of the steps as it was, and kept them among the messages. */
    @Test
    void stepsOfAnEarlierSnapshotAreKeptAfterTheStatementOfTheChangelog() throws Exception {
        setAside();
        JdbcTemplate sql = new JdbcTemplate(database().pool());
        moveStepsToWhereAnEarlierSnapshotKeptThem(sql);
        Matcher statement = Pattern.compile("`(update safebunny_message [^`]+)`")
                .matcher(Files.readString(Path.of("../CHANGELOG.md")));
        assertThat(statement.find()).isTrue();

        sql.execute(statement.group(1));

        database().age(RETENTION.multipliedBy(2));
        assertThat(store.removeExpired(100)).isZero();
        replay();
        assertThat(charged).hasSize(1);
        assertThat(stored(message).state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(stored(message.companion("steps")).state()).isEqualTo(RecordState.DISPATCHED);
    }
}
