// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.HoldingStore;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One dead destination does not hold up the others, however much waits for it. */
class SweeperTest {

    private static final String DEAD = "billing-Dead";
    private static final String ALIVE = "billing-Alive";

    private final DedupBench bench = new DedupBench();
    private final HoldingStore store = new HoldingStore(bench.store);
    private final AtomicInteger records = new AtomicInteger();

    private RecordKey completed(String routingKey) {
        return completed(new RecordKey("saga", "completed-" + records.incrementAndGet()), routingKey);
    }

    private RecordKey completed(RecordKey key, String routingKey) {
        MessageRecord claim =
                bench.store.create(MessageRecord.claim(key, "crashed", LEASE, 0, Fingerprint.of(DedupBench.MESSAGE)));
        OutboundMessage message = new OutboundMessage(
                Wires.orderPlaced().with("message_id", "of-" + key.messageId()).wire(),
                new Route.ToSubscribers(routingKey),
                Duration.ZERO);
        assertThat(bench.store.replace(claim.completed(List.of(message)))).isNotNull();
        return key;
    }

    private void completed(int count, String routingKey) {
        for (int i = 0; i < count; i++) {
            completed(routingKey);
        }
    }

    private void dead(RecordingTransport.Answer answer) {
        bench.transport.answerAll(message -> message.route().routingKey().equals(DEAD)
                ? answer.apply(message)
                : RecordingTransport.CONFIRM.apply(message));
    }

    private void start() {
        bench.instance(store, Runnable::run, LEASE).start();
    }

    private long published(String routingKey) {
        return bench.transport.published().stream()
                .filter(message -> message.route().routingKey().equals(routingKey))
                .count();
    }

    private long attempted(String routingKey) {
        return bench.transport.attempted().stream()
                .filter(message -> message.route().routingKey().equals(routingKey))
                .count();
    }

    @Test
    void anAcknowledgementOfAnUndoForWhichNobodyIsBoundWaitsForTheRetentionAndNotForEver() {
        RecordKey key = new RecordKey("saga", "undo");
        MessageRecord claim =
                bench.store.create(MessageRecord.claim(key, "crashed", LEASE, 0, Fingerprint.of(DedupBench.MESSAGE)));
        OutboundMessage acknowledgement = new OutboundMessage(
                Wires.orderPlaced()
                        .with("type", "BunnyUndone")
                        .withHeader("sb-sent-at", bench.timeline.now().toEpochMilli())
                        .wire(),
                new Route.ToSubscribers(DEAD),
                Duration.ZERO);
        assertThat(bench.store.replace(claim.completed(List.of(acknowledgement))))
                .isNotNull();
        dead(RecordingTransport.UNROUTABLE);
        start();
        bench.timeline.advance(LEASE.multipliedBy(2));
        assertThat(Objects.requireNonNull(bench.store.find(key)).state()).isEqualTo(RecordState.COMPLETED);

        bench.timeline.advance(DedupBench.RETENTION);
        bench.timeline.advance(LEASE.multipliedBy(4));

        assertThat(Objects.requireNonNull(bench.store.find(key)).state()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void aRoundThatTakesLongerThanALeaseMakesTheNextOneLaterAndNothingElse() {
        List<Runnable> rounds = new ArrayList<>();
        bench.instance(store, rounds::add, LEASE).start();
        bench.timeline.advance(LEASE.multipliedBy(10));
        assertThat(rounds).hasSize(1);

        rounds.get(0).run();
        bench.timeline.advance(LEASE.minusNanos(1));
        assertThat(rounds).hasSize(1);
        bench.timeline.advance(Duration.ofNanos(1));
        assertThat(rounds).hasSize(2);
    }

    @Test
    void aRoundWithoutAThreadIsLeftOutAndTheNextOneComes() {
        AtomicInteger asked = new AtomicInteger();
        completed(ALIVE);
        bench.instance(
                        store,
                        round -> {
                            if (asked.incrementAndGet() < 3) {
                                throw new RejectedExecutionException("too much to do");
                            }
                            round.run();
                        },
                        LEASE)
                .start();
        bench.timeline.advance(LEASE.multipliedBy(3).plusSeconds(1));

        assertThat(published(ALIVE)).isEqualTo(1);
    }

    @Test
    void goesOnInPortionsWhileTheyAreFull() {
        completed(250, ALIVE);
        start();
        bench.timeline.advance(LEASE.plusSeconds(1));

        assertThat(published(ALIVE)).isEqualTo(250);
    }

    @Test
    void aDestinationThatDoesNotAnswerCostsOneTimeoutAndTheOthersGoOn() {
        dead(RecordingTransport.SILENCE);
        completed(150, DEAD);
        completed(1, ALIVE);
        start();
        bench.timeline.advance(LEASE.multipliedBy(2));

        assertThat(published(ALIVE)).isEqualTo(1);
        assertThat(attempted(DEAD)).isEqualTo(1);
    }

    @Test
    void aDestinationWhereNothingIsBoundIsTriedOncePerRoundAndTheOthersGoOn() {
        dead(RecordingTransport.UNROUTABLE);
        completed(150, DEAD);
        completed(1, ALIVE);
        start();
        bench.timeline.advance(LEASE);

        assertThat(published(ALIVE)).isEqualTo(1);
        assertThat(attempted(DEAD)).isEqualTo(1);
    }

    /** Whatever the round leaves unsent has been written, and is not found before the younger ones. */
    @Test
    void aTimeoutThatTakesAsLongAsARoundIsNotPaidAgainBeforeAllOthersHadTheirTurn() {
        dead(message -> {
            bench.timeline.advance(LEASE);
            return RecordingTransport.SILENCE.apply(message);
        });
        completed(350, DEAD);
        completed(5, ALIVE);
        start();
        bench.timeline.advance(LEASE.multipliedBy(4));

        assertThat(published(ALIVE)).isEqualTo(5);
    }

    @Test
    void aDestinationThatAnswersAgainGetsAllWithinAFewRounds() {
        dead(RecordingTransport.SILENCE);
        completed(150, DEAD);
        start();
        bench.timeline.advance(LEASE.multipliedBy(5));
        bench.transport.answerAll(RecordingTransport.CONFIRM);
        bench.timeline.advance(LEASE.multipliedBy(4));

        assertThat(published(DEAD)).isEqualTo(150);
    }

    @Test
    void aMessageThatTheBrokerRefusesDoesNotHoldUpThoseToTheSameDestination() {
        bench.transport.answerAll(
                message -> String.valueOf(message.message().messageId()).equals("of-completed-1")
                        ? RecordingTransport.NACK.apply(message)
                        : RecordingTransport.CONFIRM.apply(message));
        completed(120, ALIVE);
        start();
        bench.timeline.advance(LEASE);

        assertThat(published(ALIVE)).isEqualTo(119);
    }

    @Test
    void aDestinationThatRefusesEverythingIsLeftAloneAfterAFewAndTheOthersGoOn() {
        dead(RecordingTransport.NACK);
        completed(150, DEAD);
        completed(1, ALIVE);
        start();
        bench.timeline.advance(LEASE);

        assertThat(published(ALIVE)).isEqualTo(1);
        assertThat(bench.transport.attempted().stream()
                        .filter(message -> message.route().routingKey().equals(DEAD))
                        .map(message -> message.message().messageId())
                        .distinct())
                .hasSize(3);
    }

    /** Each may take a timeout. */
    @Test
    void ofManyDestinationsThatDoNotAnswerNoMoreAreAskedInARoundThanThereIsTimeFor() {
        bench.transport.answerAll(message -> {
            bench.timeline.advance(LEASE);
            return RecordingTransport.SILENCE.apply(message);
        });
        for (int i = 0; i < 10; i++) {
            completed("billing-Dead" + i);
        }
        List<Runnable> rounds = new ArrayList<>();
        bench.instance(store, rounds::add, LEASE).start();
        for (int round = 0; round < 20; round++) {
            bench.timeline.advance(LEASE);
            int before = bench.transport.attempted().size();
            rounds.get(rounds.size() - 1).run();
            assertThat(bench.transport.attempted().size() - before).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void nothingIsTriedAfterTheConnectionWasLost() {
        bench.transport.answerAll(RecordingTransport.LOSE_CONNECTION);
        RecordKey first = completed(ALIVE);
        completed(3, DEAD);
        start();
        bench.timeline.advance(LEASE.plusSeconds(10));

        assertThat(bench.transport.attempted())
                .allSatisfy(message -> assertThat(message.message().messageId()).isEqualTo("of-" + first.messageId()));
    }

    @Test
    void recordsThatTheStoreDoesNotLetBeTakenHideNoOthersAndAreSentOnce() {
        store.beforeReplace(record -> {
            if (record.key().messageId().startsWith("stuck")) {
                throw new RecordRefusedException(record.key(), "its partition is full.", null);
            }
        });
        for (int i = 0; i < 120; i++) {
            completed(new RecordKey("saga", "stuck-" + i), ALIVE);
        }
        completed(120, ALIVE);
        start();
        bench.timeline.advance(LEASE.multipliedBy(6));

        assertThat(published(ALIVE)).isEqualTo(240);
        assertThat(Objects.requireNonNull(bench.store.find(new RecordKey("saga", "completed-120")))
                        .state())
                .isEqualTo(RecordState.DISPATCHED);
    }
}
