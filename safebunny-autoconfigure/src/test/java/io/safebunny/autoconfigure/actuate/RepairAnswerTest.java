// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.StuckOn;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a repair answers of the saga as it is afterwards. */
class RepairAnswerTest {

    private static final Instant NOW = Instant.EPOCH;
    private static final BlockedOn BLOCKED = new BlockedOn("m-1", "Charge", "billing", "handler-failed");
    private static final Event SKIPPED = new Event(NOW, "SKIP: by hand");

    private static SagaView saga(
            SagaStatus status, List<BlockedOn> blockedOn, @Nullable StuckOn stuckOn, @Nullable Event idleSince) {
        return new SagaView(
                "Order", "o-1", status, 1, 1, "{}", false, NOW, NOW, null, null, List.of(), Map.of(), blockedOn,
                stuckOn, idleSince, List.of());
    }

    private static SagaView saga(SagaStatus status) {
        return saga(status, List.of(), null, null);
    }

    private static SagaView blocked(SagaStatus status) {
        return saga(status, List.of(BLOCKED), null, null);
    }

    private static String note(String action, SagaView saga) {
        return SagaRepair.from(Map.of("action", action, "reason", "it is mended"))
                .note(saga);
    }

    @ParameterizedTest
    @EnumSource
    void aPersonIsNeededByWhatWaitsForOne(SagaStatus status) {
        boolean waits = status == SagaStatus.STUCK || status == SagaStatus.COMPENSATION_FAILED;

        assertThat(SagaRepair.needsPerson(saga(status))).isEqualTo(waits);
        assertThat(SagaRepair.needsPerson(blocked(status))).isEqualTo(waits || status == SagaStatus.ACTIVE);
    }

    @Test
    void aPersonIsNeededWhileNothingElseBringsItOn() {
        assertThat(SagaRepair.needsPerson(saga(SagaStatus.ACTIVE, List.of(), null, SKIPPED)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"COMPLETED", "FAILED"})
    void nothingMoreHappensToWhatHasEnded(SagaStatus status) {
        assertThat(note("fail", saga(status)))
                .isEqualTo("the saga is %s, and nothing more happens to it".formatted(status));
    }

    @Test
    void saysWhatItIsStuckOn() {
        assertThat(note(
                        "resume",
                        saga(SagaStatus.STUCK, List.of(), new StuckOn("m-2", "shop", NOW, "Add", null, null), null)))
                .contains("STUCK on message m-2 of node shop: replay it");
    }

    @Test
    void saysWhatWasSetAside() {
        String aside = ": Charge m-1 was set aside by billing (handler-failed). Mend the cause, then retry";

        assertThat(note("retry", blocked(SagaStatus.COMPENSATION_FAILED))).contains("COMPENSATION_FAILED" + aside);
        assertThat(note("retry", blocked(SagaStatus.ACTIVE))).contains("the saga still waits" + aside);
    }

    @ParameterizedTest
    @CsvSource({
        "fail, COMPENSATING, whether its undos succeed is not known yet",
        "retry, ACTIVE, whether it is handled now is not known yet",
        "resume, ACTIVE, its timeouts that are due run now",
        "resume, ACTIVE, what comes of them is not known yet"
    })
    void claimsNothingThatIsNotKnownYet(String action, SagaStatus status, String words) {
        assertThat(note(action, saga(status)))
                .contains(words, "Look again with GET safebunny/sagas/o-1", "GET safebunnystory/o-1");
    }

    @Test
    void saysThatNothingIsUnderWay() {
        assertThat(note("resume", saga(SagaStatus.ACTIVE, List.of(), null, SKIPPED)))
                .contains("nothing is known to be under way for it", "GET safebunny/sagas?state=blocked")
                .doesNotContain("not known yet");
    }
}
