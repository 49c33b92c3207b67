// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.dedup.claim.LeaseWatch;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.poison.Verdict;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What becomes of a copy whose record says that it is being handled, though nobody handles it. */
class SilentClaimTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final RecordKey KEY = new RecordKey("order-7", "message-1");

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final LeaseWatch watch = new LeaseWatch(timeline);

    private Verdict verdict(boolean tooOld) {
        StoredRecords look = new StoredRecords(store, timeline, watch); // each look has its own
        MessageRecord record = look.find(KEY);
        return Judgement.of(record, true, 0, look.isSilent(record), tooOld).verdict();
    }

    private MessageRecord claim() {
        return store.create(MessageRecord.claim(KEY, "owner-1", LEASE, 0, new Fingerprint(Fingerprint.SHA256, 1, 1)));
    }

    @Test
    void isBusyUntilItHasNotChangedForALease() {
        claim();

        assertThat(verdict(false)).isEqualTo(Verdict.BUSY);
        timeline.advance(LEASE.minusMillis(1));
        assertThat(verdict(false)).isEqualTo(Verdict.BUSY);
        timeline.advance(Duration.ofMillis(1));
        assertThat(verdict(false)).isEqualTo(Verdict.RUN);
    }

    @Test
    void isBusyAsLongAsItIsRenewed() {
        MessageRecord claimed = claim();
        assertThat(verdict(false)).isEqualTo(Verdict.BUSY);

        timeline.advance(LEASE);
        MessageRecord renewed = Objects.requireNonNull(store.replace(claimed.next(claimed.state())));

        assertThat(verdict(false)).isEqualTo(Verdict.BUSY);
        assertThat(renewed.version()).isGreaterThan(claimed.version());
    }

    @Test
    void isTooOldIfItsStepsMayBeForgotten() {
        claim();
        assertThat(verdict(true)).isEqualTo(Verdict.BUSY);

        timeline.advance(LEASE);

        assertThat(verdict(true)).isEqualTo(Verdict.TOO_OLD);
    }
}
