// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.PoisonReason;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaMessages;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The answer to a repair advises for each message that the saga waits for what the saga would not refuse. */
class SagaRepairTest {

    private static final BlockedOn FAILED =
            new BlockedOn("m-1", "Capture", "billing", PoisonReason.HANDLER_FAILED.wireName());
    private static final BlockedOn TOO_OLD = new BlockedOn("m-2", "Ship", "stock", PoisonReason.TOO_OLD.wireName());
    private static final BlockedOn ACKNOWLEDGEMENT =
            new BlockedOn("m-3", SagaMessages.UNDONE, "orders", PoisonReason.HANDLER_FAILED.wireName());

    private static String note(SagaStatus status, BlockedOn... blockedOn) {
        SagaView saga = new SagaView(
                "Order",
                "o-1",
                status,
                1,
                1,
                "",
                false,
                Instant.EPOCH,
                Instant.EPOCH,
                null,
                null,
                List.of(),
                Map.of(),
                List.of(blockedOn),
                null,
                null,
                List.of());
        return new SagaRepair(Action.PATCH, null, 1, "{}", "why").note(saga);
    }

    @ParameterizedTest
    @EnumSource(names = {"ACTIVE", "COMPENSATION_FAILED"})
    void whatHasFailedIsRetried(SagaStatus status) {
        assertThat(note(status, FAILED))
                .contains("billing", "Mend the cause, then retry")
                .doesNotContain("replay");
    }

    @ParameterizedTest
    @EnumSource(names = {"ACTIVE", "COMPENSATION_FAILED"})
    void whatIsTooOldIsLookedForAtItsNode(SagaStatus status) {
        assertThat(note(status, TOO_OLD))
                .contains("find out whether stock has carried it out", "skip its step", "replay the copy")
                .doesNotContain("retry");
    }

    @Test
    void anAcknowledgementIsReplayed() {
        assertThat(note(SagaStatus.COMPENSATION_FAILED, ACKNOWLEDGEMENT))
                .contains("replay it from the poison queue of orders")
                .doesNotContain("retry", "skip");
    }

    @Test
    void ofSeveralEachIsAdvised() {
        assertThat(note(SagaStatus.COMPENSATION_FAILED, FAILED, TOO_OLD, ACKNOWLEDGEMENT))
                .contains(
                        "Mend the cause, then retry", "Ship m-2 is too old", "m-3 says that the undo was carried out");
    }

    @Test
    void withoutAMessageItIsTheUsualOne() {
        assertThat(note(SagaStatus.COMPENSATION_FAILED)).contains("COMPENSATION_FAILED. Mend the cause, then retry");
    }
}
