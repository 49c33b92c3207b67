// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.KEY;
import static io.safebunny.dedup.DedupBench.LEASE;
import static io.safebunny.dedup.DedupBench.MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.dedup.claim.Attempts;
import io.safebunny.dedup.claim.Ownership;
import io.safebunny.dedup.claim.StoredSteps;
import io.safebunny.dedup.dispatch.DedupLog;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.observation.BoundedLog;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A copy that says more than the record: at most one attempt more is believed, and only of the same message. */
class UnwrittenAttemptsTest {

    private static final Fingerprint OTHERS = new Fingerprint(Fingerprint.SHA256, 1, 2);

    private final DedupBench bench = new DedupBench();
    private final DedupLog log = new DedupLog(new BoundedLog(bench.timeline, ExceptionDetails.FULL));
    private final Attempts attempts = new Attempts(log);
    private final Ownership ownership = new Ownership(bench.node(bench.store), log);

    /** @return the attempt with which the handling goes on */
    private int counted(int said) {
        Handling handling = new Handling(new CurrentHandling(), MESSAGE.atAttempt(said));
        attempts.countUnwritten(handling, bench.store, ownership);
        return handling.message().attempt();
    }

    private void store(RecordKey key, RecordState state, int attempt, Fingerprint fingerprint) {
        MessageRecord claimed = bench.store.create(MessageRecord.claim(key, "before", LEASE, attempt, fingerprint));
        Objects.requireNonNull(bench.store.replace(claimed.next(state)));
    }

    @Test
    void countsTheFirstWithoutARecord() {
        assertThat(counted(1)).isEqualTo(1);

        assertThat(bench.stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(bench.stored().attempt()).isEqualTo(1);
        assertThat(bench.stored().version()).isEqualTo(1);
    }

    @Test
    void believesOneMoreWithoutARecord() {
        assertThat(counted(7)).isEqualTo(1);
        assertThat(bench.stored().attempt()).isEqualTo(1);
    }

    @Test
    void countsOneMoreThanTheRecordOfAReleasedMessage() {
        store(KEY, RecordState.RELEASED, 1, Fingerprint.of(MESSAGE));

        assertThat(counted(3)).isEqualTo(2);

        assertThat(bench.stored().state()).isEqualTo(RecordState.RELEASED);
        assertThat(bench.stored().attempt()).isEqualTo(2);
    }

    @Test
    void writesNothingWhenTheRecordKnowsAsMuch() {
        store(KEY, RecordState.RELEASED, 2, Fingerprint.of(MESSAGE));

        assertThat(counted(2)).isEqualTo(2);
        assertThat(counted(1)).isEqualTo(1);

        assertThat(bench.stored().version()).isEqualTo(2);
    }

    @Test
    void writesNothingForAFirstDelivery() {
        assertThat(counted(0)).isZero();
        assertThat(bench.store.find(KEY)).isNull();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RELEASED")
    void leavesARecordInAnotherStateAlone(RecordState state) {
        store(KEY, state, 1, Fingerprint.of(MESSAGE));

        assertThat(counted(2)).isEqualTo(2);

        assertThat(bench.stored().state()).isEqualTo(state);
        assertThat(bench.stored().attempt()).isEqualTo(1);
        assertThat(bench.stored().version()).isEqualTo(2);
    }

    @Test
    void leavesTheRecordOfAnotherMessageUnderTheSameIdAlone() {
        store(KEY, RecordState.RELEASED, 1, OTHERS);

        assertThat(counted(2)).isEqualTo(2);
        assertThat(bench.stored().attempt()).isEqualTo(1);
    }

    @Test
    void createsNoRecordBesideTheStepsOfAnotherMessage() {
        store(StoredSteps.key(KEY), RecordState.RELEASED, 0, OTHERS);

        assertThat(counted(1)).isEqualTo(1);
        assertThat(bench.store.find(KEY)).isNull();
    }

    @Test
    void createsTheRecordBesideStepsOfItsOwn() {
        store(StoredSteps.key(KEY), RecordState.RELEASED, 0, Fingerprint.of(MESSAGE));

        assertThat(counted(2)).isEqualTo(1);
        assertThat(bench.stored().attempt()).isEqualTo(1);
    }
}
