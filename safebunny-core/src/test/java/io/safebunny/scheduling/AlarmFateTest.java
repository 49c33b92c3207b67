// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the record of an alarm tells those who wait for it: one answer for timeouts of sagas and for scheduled messages. */
class AlarmFateTest {

    private static final Instant LATEST = Instant.parse("2026-01-01T00:00:00Z");

    private static MessageRecord record(RecordState state) {
        return new MessageRecord(
                new RecordKey("id", "token"),
                state,
                "owner",
                1,
                0,
                0,
                Duration.ofSeconds(30),
                new Fingerprint(Fingerprint.SHA256, 0, 0),
                Map.of(),
                List.of(),
                null,
                null);
    }

    @ParameterizedTest
    @CsvSource({
        "CLAIMED, OPEN",
        "RELEASED, OPEN",
        "PARKED, OPEN",
        "COMPLETED, SPENT",
        "DISPATCHED, SPENT",
        "UNDONE, SPENT",
        "POISONED, SET_ASIDE"
    })
    void isWhatItsRecordSaysWhileThereIsTime(RecordState state, AlarmFate fate) {
        assertThat(AlarmFate.of(record(state), LATEST, LATEST)).isEqualTo(fate);
    }

    @ParameterizedTest
    @EnumSource(
            value = RecordState.class,
            names = {"CLAIMED", "RELEASED"})
    void oneThatIsHandledForTooLongIsMissing(RecordState state) {
        assertThat(AlarmFate.of(record(state), LATEST, LATEST.plusMillis(1))).isEqualTo(AlarmFate.MISSING);
    }

    @ParameterizedTest
    @EnumSource(
            value = RecordState.class,
            names = {"CLAIMED", "RELEASED"},
            mode = EnumSource.Mode.EXCLUDE)
    void oneThatHasEndedOrWaitsInItsLaneIsNeverMissing(RecordState state) {
        assertThat(AlarmFate.of(record(state), LATEST, LATEST.plus(Duration.ofDays(1))))
                .isNotEqualTo(AlarmFate.MISSING);
    }
}
