// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.fixture.HoldingStore;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What the store refuses for good is the message's own trouble: it is set aside, at once and whatever is refused. */
class RefusedRecordTest {

    private final DedupBench bench = new DedupBench();
    private final HoldingStore store = new HoldingStore(bench.store);
    private final Deduplication instance = bench.instance(store, Runnable::run, LEASE);

    private void refuse(Predicate<MessageRecord> which) {
        store.beforeReplace(record -> {
            if (which.test(record)) {
                throw new RecordRefusedException(record.key(), "test", null);
            }
        });
    }

    private void expectSetAside(ThrowingCallable delivery, String explanation) {
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(delivery)
                .withMessageContaining(explanation)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.NOT_STORABLE));
    }

    @Test
    void atTheClaim() {
        store.beforeCreate(record -> {
            throw new RecordRefusedException(record.key(), "test", null);
        });

        expectSetAside(() -> bench.deliver(instance, MESSAGE, execution -> {}), MESSAGE.id());
        assertThat(bench.runs).isEmpty();
    }

    @Test
    void atTheClaimOfALaterAttempt() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bench.deliver(instance, MESSAGE, execution -> {
                    throw new IOException("failed");
                }));
        refuse(record -> record.state() == RecordState.CLAIMED);

        expectSetAside(() -> bench.deliver(instance, MESSAGE.nextAttempt(), execution -> {}), MESSAGE.id());
        assertThat(bench.runs).hasSize(1);
    }

    @Test
    void atTheCompletionAndNothingIsPublished() {
        AtomicInteger refusals = new AtomicInteger();
        refuse(record -> record.state() == RecordState.COMPLETED && refusals.incrementAndGet() > 0);

        expectSetAside(() -> bench.deliver(instance, MESSAGE, execution -> bench.publish()), MESSAGE.id());
        assertThat(bench.transport.attempted()).isEmpty();
        assertThat(refusals).as("tries").hasValue(1);
        assertThat(bench.timeline.elapsed()).isZero();
        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> bench.deliver(instance, MESSAGE, execution -> {}))
                .withMessageContaining("recorded as set aside before");
    }

    @Test
    void atTheStoringOfAStepWhichHasBeenRun() {
        AtomicInteger charges = new AtomicInteger();
        refuse(record -> !record.steps().isEmpty());

        expectSetAside(
                () -> bench.deliver(instance, MESSAGE, execution -> {
                    try {
                        int unused = execution.once("charge", Integer.class, charges::incrementAndGet);
                    } catch (RuntimeException e) {
                        throw new IllegalStateException("wrapped by the handler", e);
                    }
                }),
                "step [charge] cannot be stored. The step has been run");
        assertThat(charges).hasValue(1);
    }

    @Test
    void atThePoisonMarkOfItsOwnRefusal() {
        refuse(record -> true);

        expectSetAside(() -> bench.deliver(instance, MESSAGE, execution -> bench.publish()), MESSAGE.id());
        assertThat(bench.stored().state()).isEqualTo(RecordState.CLAIMED);
        assertThat(bench.transport.attempted()).isEmpty();
    }

    /** Its retry meets a claim that cannot be taken over: it ends there. */
    @Test
    void atTheReleaseOfAFailureItIsSetAsideWhenTheClaimHasFallenSilent() {
        refuse(record -> true);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> bench.deliver(instance, MESSAGE, execution -> {
                    throw new IOException("failed");
                }));
        assertThatExceptionOfType(io.safebunny.failure.policy.NotHandledException.class)
                .isThrownBy(() -> bench.deliver(instance, MESSAGE.nextAttempt(), execution -> {}));
        bench.timeline.advance(LEASE);

        expectSetAside(() -> bench.deliver(instance, MESSAGE.nextAttempt(), execution -> {}), MESSAGE.id());
        assertThat(bench.runs).hasSize(1);
    }

    @Test
    void atARenewalTheHandlerGoesOn() throws Exception {
        AtomicInteger renewals = new AtomicInteger();
        refuse(record -> record.state() == RecordState.CLAIMED && renewals.incrementAndGet() > 0);
        instance.start();

        bench.deliver(instance, MESSAGE, execution -> {
            bench.timeline.advance(LEASE.multipliedBy(2));
            bench.publish();
        });

        assertThat(renewals).hasValue(1);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void atTheMarkTheMessageIsNotSentAgain() throws Exception {
        refuse(record -> record.state() == RecordState.DISPATCHED);
        instance.start();
        bench.deliver(instance, MESSAGE, execution -> bench.publish());
        bench.timeline.advance(LEASE.multipliedBy(10));
        bench.deliver(instance, MESSAGE, execution -> bench.publish());

        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.runs).hasSize(1);
    }
}
