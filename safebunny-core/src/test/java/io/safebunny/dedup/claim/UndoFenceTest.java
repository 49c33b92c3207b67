// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static io.safebunny.dedup.DedupBench.RETENTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.safebunny.dedup.DedupBench;
import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.InterveningStore;
import io.safebunny.fixture.UnreliableStore.Fault;
import io.safebunny.fixture.Wires;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What an undo does with the record of its step, row by row. */
class UndoFenceTest {

    private static final Wires UNDO =
            Wires.orderPlaced().with("message_id", "an-undo").withHeader("sb-undoes", MESSAGE.id());

    private final DedupBench bench = new DedupBench();
    private final InterveningStore intervening = new InterveningStore(bench.store);
    private final Deduplication instance = bench.over(intervening);
    private final List<String> effects = new ArrayList<>();

    private void step() throws Exception {
        bench.deliver(execution -> effects.add("step"));
    }

    private void undo() throws Exception {
        undo(UNDO);
    }

    private void undo(Wires undo) throws Exception {
        bench.deliver(instance, undo.envelope(), execution -> effects.add("undo"));
    }

    private NotHandledException busy() {
        return catchThrowableOfType(NotHandledException.class, this::undo);
    }

    private RecordState stepState() {
        return bench.stored().state();
    }

    private MessageRecord undoRecord() {
        return Objects.requireNonNull(bench.store.find(new RecordKey(MESSAGE.correlationId(), "an-undo")));
    }

    /** Before the first write of a handled step's undo: its claim. */
    private static Runnable once(int skipped, Runnable event) {
        int[] calls = {0};
        return () -> {
            if (calls[0]++ == skipped) {
                event.run();
            }
        };
    }

    private interface Delivery {
        void run() throws Exception;
    }

    private static Runnable unchecked(Delivery delivery) {
        return () -> {
            try {
                delivery.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
    }

    // ---- absent

    /** That nothing is stored does not prove that nothing was done. */
    @Test
    void barsAStepOfWhichNothingIsStoredBeforeItsUndoRuns() throws Exception {
        bench.deliver(instance, UNDO.envelope(), execution -> {
            assertThat(stepState()).isEqualTo(RecordState.UNDONE);
            effects.add("undo");
        });
        assertThat(undoRecord().state()).isEqualTo(RecordState.DISPATCHED);

        step();

        assertThat(effects).containsExactly("undo");
        assertThat(bench.counted("hit")).isEqualTo(1);
    }

    /** As after the retention was raised: the record expired by the old one, and by the new one the step is young. */
    @Test
    void undoesAStepWhoseRecordHasExpired() throws Exception {
        step();
        bench.timeline.advance(RETENTION.plusMillis(1));
        var unused = bench.store.removeExpired(100);
        assertThat(bench.store.find(DedupBench.KEY)).isNull();

        undo(UNDO.withHeader("sb-sent-at", bench.timeline.now().toEpochMilli()));

        assertThat(effects).containsExactly("step", "undo");
    }

    /** As after a store was added or switched. */
    @Test
    void undoesAStepThatWasHandledWithAnotherStore() throws Exception {
        bench.deliver(new DedupBench().instance, MESSAGE, execution -> effects.add("step"));

        undo();
        step();

        assertThat(effects).containsExactly("step", "undo");
    }

    /** Its type and body were not known when it was barred. */
    @Test
    void takesABarredStepForNoOtherMessageWhateverItsBody() throws Exception {
        undo();

        bench.deliver(
                instance,
                Wires.orderPlaced().withBody("{\"orderId\":\"o-2\"}").envelope(),
                execution -> effects.add("step"));

        assertThat(effects).containsExactly("undo");
    }

    @Test
    void barsAnAbsentStepForGoodAlsoWhenTheUndoFails() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bench.deliver(instance, UNDO.envelope(), execution -> {
                    throw new IOException("failed");
                }));
        step();
        assertThat(effects).isEmpty();

        undo();

        assertThat(effects).containsExactly("undo");
    }

    /** The next delivery finds its own mark, and does not take it for a step that was undone. */
    @Test
    void runsAgainWhenItsCompletionFailsAfterTheBarring() throws Exception {
        intervening.beforeWrite(once(2, () -> {
            throw new ThreadDeath();
        }));
        assertThatExceptionOfType(ThreadDeath.class).isThrownBy(this::undo);
        effects.clear();
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
        intervening.beforeWrite(() -> {});

        undo();
        step();

        assertThat(effects).containsExactly("undo");
    }

    @Test
    void doesNotRunWhenItIsNotKnownWhetherAnAbsentStepIsBarred() throws Exception {
        bench.store.nextWrites(Fault.NONE, Fault.LOST_ANSWER);
        assertThat(busy().isTrouble()).isTrue();
        assertThat(effects).isEmpty();

        undo();

        assertThat(effects).containsExactly("undo");
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void runsAfterAStepThatIsHandledAsItIsBeingBarred() throws Exception {
        intervening.beforeWrite(once(1, unchecked(this::step)));
        undo();

        assertThat(effects).containsExactly("step", "undo");
        assertThat(stepState()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void waitsForAStepThatIsClaimedAsItIsBeingBarred() {
        intervening.beforeWrite(once(1, () -> {
            try {
                bench.crash(bench.instance, execution -> effects.add("step"));
            } finally {
                bench.store.down(false);
            }
        }));

        assertThatExceptionOfType(NotHandledException.class).isThrownBy(this::undo);

        assertThat(effects).containsExactly("step");
        assertThat(stepState()).isEqualTo(RecordState.CLAIMED);
    }

    // ---- claimed

    @Test
    void waitsWhileItsStepIsBeingHandled() throws Exception {
        bench.deliver(execution -> {
            NotHandledException busy = busy();
            assertThat(busy).hasMessageContaining(MESSAGE.id()).hasMessageContaining("an-undo");
            assertThat(busy.isTrouble()).isFalse();
            assertThat(busy.delay()).isPositive().isLessThan(LEASE);
            effects.add("step");
        });
        undo();

        assertThat(effects).containsExactly("step", "undo");
        assertThat(bench.runs).as("no attempt is spent").containsExactly(0, 0);
    }

    /** Otherwise it would wait for ever for a step that nobody delivers again. */
    @Test
    void runsWhenTheClaimOfItsStepHasFallenSilent() throws Exception {
        bench.crash(bench.instance, execution -> effects.add("step"));
        assertThat(busy()).isNotNull();
        bench.timeline.advance(LEASE.minusMillis(1));
        assertThat(busy()).isNotNull();
        bench.timeline.advance(Duration.ofMillis(1));

        undo();
        step();

        assertThat(effects).containsExactly("step", "undo");
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void takesWhatAStepPublishesFromAnOwnerThatWakesUpTooLate() {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    bench.publish();
                    assertThat(busy()).isNotNull();
                    bench.timeline.advance(LEASE);
                    undo();
                }))
                .withMessageContaining("Lost the claim");

        assertThat(effects).containsExactly("undo");
        assertThat(bench.transport.published()).isEmpty();
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
    }

    // ---- released, poisoned

    private void failOnce() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bench.deliver(execution -> {
                    effects.add("step");
                    throw new IOException("failed");
                }));
        assertThat(stepState()).isEqualTo(RecordState.RELEASED);
    }

    @Test
    void barsTheRetryOfAStepThatFailed() throws Exception {
        failOnce();
        undo();
        bench.deliver(instance, MESSAGE.nextAttempt(), execution -> effects.add("step"));

        assertThat(effects).containsExactly("step", "undo");
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void barsItForGoodAlsoWhenTheUndoFails() throws Exception {
        failOnce();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bench.deliver(instance, UNDO.envelope(), execution -> {
                    throw new IOException("failed");
                }));
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
        bench.deliver(instance, MESSAGE.nextAttempt(), execution -> effects.add("step"));

        undo();

        assertThat(effects).containsExactly("step", "undo");
    }

    @Test
    void barsTheReplayOfAStepThatIsPoison() throws Exception {
        bench.poison();
        long poisonVersion = bench.stored().version();
        undo();

        bench.replay(poisonVersion, execution -> effects.add("step"));
        bench.replay(execution -> effects.add("step"));

        assertThat(effects).containsExactly("undo");
        assertThat(bench.counted("reopened")).isZero();
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
    }

    @Test
    void comesBackSoonWhenTheStepIsClaimedAsItIsBeingBarred() throws Exception {
        failOnce();
        intervening.beforeWrite(once(
                1,
                unchecked(() -> bench.deliver(bench.instance, MESSAGE.nextAttempt(), execution -> {
                    effects.add("step");
                }))));
        assertThat(busy().delay()).isEqualTo(Duration.ofMillis(100));

        undo();

        assertThat(effects).containsExactly("step", "step", "undo");
        assertThat(stepState()).isEqualTo(RecordState.DISPATCHED);
    }

    /** It is known what it was. */
    @Test
    void stillTellsAnotherMessageWithTheIdOfABarredStep() throws Exception {
        failOnce();
        undo();
        Envelope twin = Wires.orderPlaced().withBody("{\"orderId\":\"o-2\"}").envelope();

        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> bench.deliver(instance, twin, execution -> {}));
    }

    // ---- done

    @Test
    void runsForAStepThatWasHandledWhetherItsPublicationsAreSentOrNot() throws Exception {
        bench.deliver(execution -> bench.publish());
        assertThat(stepState()).isEqualTo(RecordState.COMPLETED);
        undo();
        bench.timeline.advance(Duration.ofSeconds(1));
        assertThat(stepState()).isEqualTo(RecordState.DISPATCHED);
        undo(UNDO.with("message_id", "another-undo"));

        assertThat(effects).containsExactly("undo", "undo");
        assertThat(stepState()).isEqualTo(RecordState.DISPATCHED);
    }

    @Test
    void isItselfHandledOnce() throws Exception {
        step();
        undo();
        undo();

        assertThat(effects).containsExactly("step", "undo");
    }

    // ---- a store in trouble

    @Test
    void doesNotRunWhenTheStoreDoesNotAnswer() throws Exception {
        step();
        intervening.beforeFind(() -> bench.store.down(true));

        assertThat(busy().isTrouble()).isTrue();

        intervening.beforeFind(() -> {});
        bench.store.down(false);
        assertThat(effects).containsExactly("step");
    }

    @Test
    void doesNotRunUnlessTheStepIsKnownToBeBarred() throws Exception {
        failOnce();
        bench.store.nextWrites(Fault.NONE, Fault.LOST_ANSWER);
        assertThat(busy().isTrouble()).isTrue();
        assertThat(effects).containsExactly("step");

        undo();

        assertThat(effects).containsExactly("step", "undo");
        assertThat(stepState()).isEqualTo(RecordState.UNDONE);
    }
}
