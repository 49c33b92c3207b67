// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreAnswersTest {

    private static final RecordKey ONE = new RecordKey("order-1", "one");
    private static final RecordKey TWO = new RecordKey("order-2", "two");

    private final StoreAnswers answers = new StoreAnswers(() -> Instant.EPOCH);

    private void timesOut(RecordKey record) {
        StoreUnavailableException locked = new StoreUnavailableException("locked", Duration.ofSeconds(1), null);
        answers.failed(locked);
        answers.notWritten(List.of(record), locked);
    }

    @Test
    void writesThatTimeOutAreAnOutageHoweverManyReadsAreAnswered() {
        timesOut(ONE);
        timesOut(TWO);
        answers.answered();

        assertThat(answers.outage()).isNotNull().extracting(StoreOutage::reason).isEqualTo("SB-4001 locked");
        answers.written(List.of(new RecordKey("order-3", "three")));
        assertThat(answers.outage()).isNull();
    }

    @Test
    void oneRecordThatWaitsForAnotherDeliveryIsNone() {
        timesOut(ONE);
        timesOut(ONE);
        answers.answered();

        assertThat(answers.outage()).isNull();
    }

    @Test
    void stepsThatCannotBeStoredAreAnOutageAlthoughMessagesAreClaimed() {
        timesOut(ONE.companionApart("steps"));
        timesOut(TWO.companionApart("steps"));
        answers.answered();
        answers.written(List.of(ONE, TWO));

        assertThat(answers.outage()).isNotNull();
        answers.written(List.of(ONE.companionApart("steps")));
        assertThat(answers.outage()).isNull();
    }

    @Test
    void anIdleNodeLearnsFromItsCleanUp() {
        timesOut(ONE);
        timesOut(TWO);
        answers.answered();
        answers.everythingWritten();

        assertThat(answers.outage()).isNull();
    }
}
