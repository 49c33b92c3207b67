// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** The stores and records of one test. For the test's thread only. */
final class StoreBench {

    private static final int RACERS = 16;

    private final MessageStoreContract fixture;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private @Nullable MessageStore store;
    private @Nullable MessageStore another;
    private @Nullable MessageStore otherNode;

    StoreBench(MessageStoreContract fixture) {
        this.fixture = fixture;
    }

    MessageStore store() {
        if (store == null) {
            store = fixture.store();
        }
        return store;
    }

    MessageStore another() {
        if (another == null) {
            another = fixture.anotherInstance();
        }
        return another;
    }

    MessageStore otherNode() {
        if (otherNode == null) {
            otherNode = fixture.otherNode();
        }
        return otherNode;
    }

    Duration retention() {
        return fixture.retention();
    }

    /** The record in a form that the store refuses. Skips the rule if the store refuses no record except for its size. */
    MessageRecord unstorable(MessageRecord record) {
        MessageRecord unstorable = fixture.unstorable(record);
        assumeTrue(unstorable != null, "no record is known that this store refuses for good");
        return Objects.requireNonNull(unstorable);
    }

    long largestContent() {
        return fixture.largestContent();
    }

    /** Skips the rule if no record is too large for the store. */
    void assumeLimitedContent() {
        assumeTrue(largestContent() > 0, "this store has no limit");
    }

    Duration patience() {
        return fixture.patience();
    }

    // ---- records

    static RecordKey key() {
        return new RecordKey(UUID.randomUUID().toString(), UUID.randomUUID().toString());
    }

    static MessageRecord claim(RecordKey key, String owner) {
        return MessageRecord.claim(
                key, owner, Duration.ofSeconds(30), 0, new Fingerprint(Fingerprint.SHA256, 4711, 13));
    }

    /** A trail of everything that one may hold, in characters of all kinds. */
    static Trail trail() {
        Instant at = Instant.ofEpochMilli(1_900_000_000_123L);
        return Trail.of("OrderPlaced")
                .with(List.of(
                        new Trail.Failure(at, "", 0, "java.io.IOException", null, at.plusMillis(1)),
                        new Trail.Failure(
                                at.plusSeconds(1),
                                "billing-7d4f",
                                Long.MAX_VALUE,
                                "x".repeat(200),
                                "größe 世界 🐇 'x' \"y\" \\ %_?:{}[]",
                                null)));
    }

    /** A stored claim owned by {@code first}. */
    MessageRecord created() {
        return store().create(claim(key(), "first"));
    }

    /** Stores a record and brings it into this state, through the states that a message would go through. */
    MessageRecord created(RecordState state) {
        MessageRecord claim = created();
        return switch (state) {
            case CLAIMED -> claim;
            case DISPATCHED ->
                replaced(replaced(claim.next(RecordState.COMPLETED)).next(state));
            case RELEASED, PARKED, COMPLETED, POISONED, UNDONE -> replaced(claim.next(state));
        };
    }

    List<MessageRecord> created(RecordState state, int count) {
        List<MessageRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(created(state));
        }
        return records;
    }

    /** Replaces the record, and returns it as stored. */
    MessageRecord replaced(MessageRecord record) {
        return replaced(store(), record);
    }

    static MessageRecord replaced(MessageStore store, MessageRecord record) {
        MessageRecord replaced = store.replace(record);
        assertThat(replaced).as("the answer to a replace with the next version").isNotNull();
        return Objects.requireNonNull(replaced);
    }

    /** Writes the records together, and returns them as stored. */
    List<MessageRecord> writtenTogether(List<MessageRecord> records) {
        JointWrite answer = store().writeTogether(records);
        assertThat(answer).as("the answer to a joint write that fits").isInstanceOf(JointWrite.Written.class);
        return ((JointWrite.Written) answer).records();
    }

    static MessageRecord found(MessageStore store, RecordKey key) {
        MessageRecord found = store.find(key);
        assertThat(found).as("what is stored").isNotNull();
        return Objects.requireNonNull(found);
    }

    /** Checks through another instance that this record is stored. */
    void assertStored(MessageRecord expected) {
        assertSame(another().find(expected.key()), expected);
    }

    void assertNothingStored(RecordKey key) {
        assertThat(another().find(key)).as("what is stored").isNull();
    }

    /** Compares two records, but not their etags. */
    static void assertSame(@Nullable MessageRecord actual, MessageRecord expected) {
        assertThat(actual)
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .withEqualsForType(Float::equals, Float.class) // NaN equals NaN; no tolerance
                .withEqualsForType(Double::equals, Double.class)
                .ignoringFields("etag")
                .isEqualTo(expected);
    }

    static List<RecordKey> keys(List<MessageRecord> records) {
        return records.stream().map(MessageRecord::key).toList();
    }

    // ---- time

    /** Advances the store's clock; skips the rule if that is impossible. */
    void age(Duration duration) {
        assumeTrue(fixture.age(duration), "the clock of this store cannot be moved");
    }

    /** Advances the clock until final records have expired, except poisoned ones. */
    void outliveTheRetention() {
        age(retention().plusSeconds(1));
    }

    /** Advances the clock until poisoned records have expired too. */
    void outliveThePoisonRetention() {
        Duration remaining = fixture.poisonRetention().plusSeconds(1);
        while (remaining.compareTo(retention()) > 0) { // the largest step that is allowed
            age(retention());
            remaining = remaining.minus(retention());
        }
        age(remaining);
    }

    void assumeRemovalOnRequestOnly() {
        assumeFalse(fixture.forgetsByItself(), "this store forgets by itself");
    }

    ConditionFactory await() {
        return Awaitility.await()
                .dontCatchUncaughtExceptions() // uncaught exceptions may belong to a test that runs concurrently
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(patience());
    }

    // ---- threads

    /** Runs the action on several threads at once, alternating between the two instances; returns the results. */
    <T> List<T> race(Function<Racer, T> action) throws Exception {
        CyclicBarrier start = new CyclicBarrier(RACERS);
        List<Future<T>> futures = new ArrayList<>();
        for (int i = 0; i < RACERS; i++) {
            Racer racer = new Racer(i % 2 == 0 ? store() : another(), "owner-" + i);
            futures.add(elsewhere(() -> {
                start.await();
                return action.apply(racer);
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get(patience().toMillis(), TimeUnit.MILLISECONDS));
        }
        return results;
    }

    record Racer(MessageStore store, String owner) {}

    /** Runs the action on a separate thread. */
    <T> Future<T> elsewhere(Callable<T> action) {
        return threads.submit(action);
    }

    void close() {
        threads.shutdownNow();
    }
}
