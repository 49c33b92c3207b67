// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.Membership;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.JointWrite;
import io.safebunny.store.TransactionalMessageStore.LocalTransaction;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message that changes what another message changes meanwhile, where the claim is a transaction. */
@Timeout(60)
abstract class JointRecordRules {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final RecordKey key =
            new RecordKey(UUID.randomUUID().toString(), UUID.randomUUID().toString());
    private final RecordKey shared = key.companion("saga");
    private final Envelope message = new Envelope(
            key.messageId(),
            key.correlationId(),
            "Order",
            "shop",
            1,
            null,
            0,
            0,
            timeline.now().toEpochMilli(),
            null,
            Map.of(),
            Map.of(),
            "application/json",
            "body".getBytes(StandardCharsets.UTF_8));
    private final List<String> runs = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private TransactionalJdbcMessageStore store;

    @SuppressWarnings("NullAway.Init")
    private Deduplication instance;

    abstract TestDatabase database();

    @BeforeEach
    void open() {
        store = Instances.store(
                database().pool(),
                JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofDays(7)).withTimeout(Duration.ofSeconds(2)));
        instance = Instances.over(store, timeline, 5);
    }

    @AfterEach
    void close() {
        timeline.close();
    }

    private MessageRecord changed(@Nullable MessageRecord stored, String by) {
        return stored == null
                ? MessageRecord.claim(shared, "application", Duration.ZERO, 0, Fingerprint.of(message))
                        .withSteps(Map.of("state", by))
                : stored.nextSteps("application", Map.of("state", stored.steps().get("state") + ", " + by));
    }

    /** In another transaction, which is committed at once. */
    private void change(String by) {
        JointWrite written = store.apart(() -> store.writeTogether(List.of(changed(store.find(shared), by))));
        assertThat(written).isInstanceOf(JointWrite.Written.class);
    }

    private MessageRecord stored(RecordKey of) {
        return Objects.requireNonNull(store.find(of));
    }

    private @Nullable String state() {
        return stored(shared).steps().get("state");
    }

    private void publish(Handling handling) {
        handling.requirePublishing();
        handling.collect(new OutboundMessage(
                message.toWire(), new Route.ToSubscribers("Order" + handling.nextOrdinal("Order")), Duration.ZERO));
    }

    private void deliver(Instances.Handler handler) throws Exception {
        deliver(new Handling(new CurrentHandling(), message), handler);
    }

    private void deliver(Handling delivered, Instances.Handler handler) throws Exception {
        Instances.deliver(
                instance,
                delivered,
                failure -> Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure),
                handling -> handling.attempt(() -> handler.handle(handling)));
    }

    @Test
    void whoLosesTheRaceToCreateItRunsAgainAndPublishes() throws Exception {
        deliver(handling -> {
            MessageRecord found = handling.companion(shared);
            runs.add(found == null ? "absent" : "there");
            if (found == null) {
                change("theirs"); // who looks for what is absent does not wait
            }
            handling.join(changed(found, "ours"));
            publish(handling);
        });

        assertThat(runs).containsExactly("absent", "there");
        assertThat(state()).isEqualTo("theirs, ours");
        assertThat(stored(key).state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
    }

    /** @param whenSetAside what is done when what depends on the message has been read */
    private Handling ofASaga(Runnable whenSetAside) {
        Handling handling = new Handling(new CurrentHandling(), message);
        handling.belongsTo(new Membership(message.correlationId(), (reason, stored) -> {
            MessageRecord stuck = changed(stored.apply(shared), "stuck");
            whenSetAside.run();
            return JointRecords.NONE.with(stuck);
        }));
        return handling;
    }

    @Test
    void isSetAsideWithWhatDependsOnItThoughThatIsChangedMeanwhile() {
        Handling delivered = ofASaga(() -> {
            runs.add("read");
            if (runs.size() < 3) {
                change("theirs");
            }
        });
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(delivered, handling -> {
                    throw new IOException("failed");
                }));

        assertThat(runs).hasSize(3);
        assertThat(stored(key).state()).isEqualTo(RecordState.POISONED);
        assertThat(state()).isEqualTo("theirs, theirs, stuck");
    }

    /** Its claim was written by a node without shared transactions. */
    @Test
    void isSetAsideWithWhatDependsOnItWhenItsClaimIsSilentTooOften() throws Exception {
        MessageRecord unused =
                store.create(MessageRecord.claim(key, "dead", Duration.ofMillis(50), 0, Fingerprint.of(message))
                        .withTakeovers(5));
        Handling handling = ofASaga(() -> {
            if (runs.isEmpty()) {
                runs.add("overtaken");
                change("theirs");
            }
        });
        Awaitility.await().untilAsserted(() -> assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> Instances.deliver(
                        instance,
                        handling,
                        failure -> Ending.poisoned(PoisonReason.DELIVERY_LIMIT, failure),
                        ran -> runs.add("ran"))));

        assertThat(runs).containsExactly("overtaken");
        assertThat(stored(key).state()).isEqualTo(RecordState.POISONED);
        assertThat(state()).isEqualTo("theirs, stuck");
    }

    @Test
    void whoWaitsInVainForWhatAnotherHoldsComesBack() throws Exception {
        change("theirs");
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<?> holding = other.submit(() -> {
                LocalTransaction transaction = store.begin();
                MessageRecord unused = store.findAndLock(shared);
                held.countDown();
                over.await();
                transaction.rollback();
                return null;
            });
            held.await();

            assertThatExceptionOfType(NotHandledException.class)
                    .isThrownBy(() -> deliver(handling -> {
                        MessageRecord unused = handling.companion(shared);
                    }))
                    .satisfies(busy -> assertThat(busy.isTrouble()).isFalse());
            over.countDown();
            holding.get();
        } finally {
            other.shutdownNow();
        }
    }
}
