// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sagas that cannot be looked after, and what becomes of those beside them. */
class SagaSweepTest {

    private static final Duration WAIT = Duration.ofMinutes(10);
    private static final Duration IN_TIME = WAIT.plus(SagaWorld.LEASE.multipliedBy(2));

    record Begin(String id) {}

    @BunnySaga
    static class Waiting {
        record State(String id) {}

        private boolean fails;
        private int runs;

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.timeout("late", WAIT);
            return new State(begin.id());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            runs++;
            if (fails) {
                throw new IllegalStateException("This one fails");
            }
            saga.complete();
        }
    }

    private final class TroubledStore extends ForwardingMessageStore {
        TroubledStore() {
            super(memory);
        }

        @Override
        public @Nullable MessageRecord replace(MessageRecord record) {
            writes.merge(record.key().correlationId(), 1, Integer::sum);
            if (notWritten.test(record.key())) {
                throw new StoreUnavailableException("row is locked", null, null);
            }
            return super.replace(record);
        }

        @Override
        public @Nullable MessageRecord find(RecordKey key) {
            if (notRead.test(key)) {
                throw new UnreadableRecordException(key, "state NEW", null);
            }
            return super.find(key);
        }

        @Override
        public long countListed(String kind, String status) {
            if (countsNothing) {
                throw new StoreUnavailableException("no answer", null, null);
            }
            counted.merge(status, 1, Integer::sum);
            return super.countListed(kind, status) * many;
        }

        @Override
        public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
            if (findsNothing) {
                throw new StoreUnavailableException("no answer", null, null);
            }
            return super.findDue(from, until, limit);
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final MemoryMessageStore memory = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
    private final Map<String, Integer> writes = new HashMap<>();
    private Predicate<RecordKey> notWritten = key -> false;
    private Predicate<RecordKey> notRead = key -> false;
    private boolean findsNothing;
    private boolean countsNothing;
    private long many = 1;
    private final Map<String, Integer> counted = new HashMap<>();
    private boolean losesAlarms;
    private boolean refusesAlarms;
    private boolean losesRetries;
    private final Waiting waiting = new Waiting();
    private int alarms;

    @BeforeEach
    void start() {
        world.arrivals = message -> {
            boolean isAlarm = "BunnyTimeout".equals(message.message().type());
            alarms += isAlarm ? 1 : 0;
            if (isAlarm && refusesAlarms) {
                throw new IllegalStateException("the broker takes no alarm");
            }
            boolean isLost = isAlarm && (losesAlarms || losesRetries);
            return isLost ? 0 : 1;
        };
        world.start("desk", List.of());
        world.start("waits", new TroubledStore(), List.of(), waiting);
    }

    private void begin(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            var unused = world.bunny("desk")
                    .publish(new Begin(prefix + i), PublishOptions.none().withCorrelationId(prefix + i));
        }
        world.settle();
    }

    /** Their messages get lost, while new ones will come. */
    private void beginWithoutAlarm(String prefix, int count) {
        losesAlarms = true;
        begin(prefix, count);
        losesAlarms = false;
    }

    private void assertCompleted(String prefix, int count) {
        for (int i = 0; i < count; i++) {
            assertThat(world.saga("waits", prefix + i).status()).isEqualTo(SagaStatus.COMPLETED);
        }
    }

    private static boolean isBad(RecordKey key) {
        return key.correlationId().startsWith("bad-");
    }

    @Test
    void aHundredThatCannotBeWrittenStarveNoOthers() {
        beginWithoutAlarm("bad-", 100);
        beginWithoutAlarm("good-", 50);
        notWritten = SagaSweepTest::isBad;

        world.pass(IN_TIME);

        assertCompleted("good-", 50);
        notWritten = key -> false;
        world.pass(SagaWorld.LEASE.multipliedBy(6));
        assertCompleted("bad-", 100);
    }

    @Test
    void oneThatCannotBeWrittenDoesNotEndTheRound() {
        beginWithoutAlarm("bad-", 1);
        beginWithoutAlarm("good-", 300);
        notWritten = SagaSweepTest::isBad;

        world.pass(IN_TIME);

        assertCompleted("good-", 300);
    }

    @Test
    void recordsOfANewerVersionAreLeftToItsInstances() {
        beginWithoutAlarm("bad-", 100);
        beginWithoutAlarm("good-", 50);
        notRead = key -> isBad(key) && !key.isShared();

        world.pass(IN_TIME);

        assertCompleted("good-", 50);
        notRead = key -> false;
        world.pass(SagaWorld.LEASE.multipliedBy(6));
        assertCompleted("bad-", 100);
    }

    @Test
    void alarmsThatCannotBeHandledAreNotMultiplied() {
        losesAlarms = true; // as in a queue that nobody reads
        begin("wait-", 10);

        world.pass(WAIT.plus(Duration.ofHours(1)));

        assertThat(alarms).isBetween(2 * 10, 7 * 10);
        losesAlarms = false;
        world.pass(Duration.ofHours(2));
        assertCompleted("wait-", 10);
    }

    @Test
    void aClockThatIsAheadSendsFewAlarmsAndNoneRunsEarly() {
        world.startAhead("waits", WAIT.minus(Duration.ofMinutes(1)), new TroubledStore(), waiting);
        begin("wait-", 10);

        world.pass(WAIT.minus(Duration.ofSeconds(1)));
        assertThat(waiting.runs).isZero();
        assertThat(alarms).isLessThanOrEqualTo(8 * 10);
        world.pass(Duration.ofSeconds(2));

        assertCompleted("wait-", 10);
        assertThat(waiting.runs).isEqualTo(10);
    }

    @Test
    void anAlarmThatTheBrokerDoesNotTakeIsNotPutOffForLong() {
        beginWithoutAlarm("wait-", 10);
        refusesAlarms = true;
        world.pass(WAIT.plus(Duration.ofHours(1)));

        refusesAlarms = false;
        world.pass(SagaWorld.LEASE.multipliedBy(3));

        assertCompleted("wait-", 10);
    }

    @Test
    void anAlarmThatTheBrokerTookLateIsNotLateItself() {
        refusesAlarms = true;
        begin("wait-", 10);
        world.pass(WAIT.dividedBy(2));
        refusesAlarms = false;

        world.pass(WAIT.dividedBy(2));

        assertCompleted("wait-", 10);
    }

    /** With the retries of the test's nodes, which take 20 s. */
    @Test
    void aTimeoutWhoseRetryIsLostRunsSoonAfterItsRetriesWouldBeOver() {
        begin("wait-", 10);
        waiting.fails = true;
        world.pass(WAIT.minus(Duration.ofSeconds(1)));
        losesRetries = true;
        world.pass(Duration.ofSeconds(5));
        waiting.fails = false;
        losesRetries = false;
        assertThat(world.saga("waits", "wait-0").status()).isEqualTo(SagaStatus.ACTIVE);

        world.pass(Duration.ofSeconds(20).plus(SagaWorld.LEASE.multipliedBy(8)));

        assertCompleted("wait-", 10);
        assertThat(waiting.runs).isEqualTo(2 * 10);
    }

    @Test
    void noAlarmIsSentForAStateThatThisInstanceDoesNotKnow() {
        losesAlarms = true;
        begin("wait-", 10);
        for (int i = 0; i < 10; i++) {
            MessageRecord stored = Objects.requireNonNull(memory.find(SagaDocument.key("Waiting", "wait-" + i)));
            Map<String, String> newer = new HashMap<>(stored.steps());
            newer.replaceAll((name, json) -> json.replace("\"stateVersion\":1", "\"stateVersion\":2"));
            var unused = memory.replace(
                    stored.nextContent(stored.state(), stored.owner(), stored.listing(), Map.copyOf(newer)));
        }

        world.pass(WAIT.plus(Duration.ofHours(1)));

        assertThat(alarms).isEqualTo(10); // those that were sent when the timeouts were set
    }

    @Test
    void sagasOfARemovedClassAreRetiredWhenTheyHaveEndedAndOtherwiseRarelyWritten() {
        companion("ended", "COMPLETED");
        companion("open", "ACTIVE");

        world.pass(Duration.ofMinutes(2));
        assertThat(memory.find(SagaDocument.key("Removed", "ended")))
                .extracting(MessageRecord::state)
                .isEqualTo(RecordState.DISPATCHED);
        world.pass(Duration.ofHours(6));

        assertThat(writes.get("ended")).isEqualTo(1);
        assertThat(writes.get("open")).isLessThan(15);
    }

    private void companion(String id, String status) {
        Instant now = world.timeline.now();
        var unused = memory.create(MessageRecord.companion(
                SagaDocument.key("Removed", id),
                "another",
                new Listing("Removed", status, now, now),
                Map.of("saga", "{}")));
    }

    @Test
    void sagasAreCountedAlsoWhenNoneCanBeLookedAfter() {
        begin("wait-", 3);
        findsNothing = true;

        world.pass(SagaWorld.LEASE.multipliedBy(2));

        assertThat(world.meters.find("safebunny.saga.active").gauges()).isNotEmpty();
        assertThat(world.meters
                        .find("safebunny.saga.active")
                        .gauges()
                        .iterator()
                        .next()
                        .value())
                .isEqualTo(3);
    }

    @Test
    void manyActiveOnesAreCountedMoreRarelyThanThoseThatNeedAPerson() {
        begin("wait-", 3);
        many = 1_000;

        world.pass(SagaWorld.LEASE.multipliedBy(15));

        assertThat(counted.get("ACTIVE")).isEqualTo(2);
        assertThat(counted.get("STUCK")).isEqualTo(15);
        assertThat(world.meters.get("safebunny.saga.active").gauge().value()).isEqualTo(3_000);
    }

    @Test
    void itIsKnownHowOldTheFiguresAre() {
        assertThat(world.engine("waits").get(SagaSupervision.class).countedAt()).isNull();
        world.pass(SagaWorld.LEASE);
        Instant first = world.timeline.now();
        assertThat(world.engine("waits").get(SagaSupervision.class).countedAt()).isEqualTo(first);

        countsNothing = true;
        world.pass(SagaWorld.LEASE.multipliedBy(3));
        assertThat(world.engine("waits").get(SagaSupervision.class).countedAt()).isEqualTo(first);
    }
}
