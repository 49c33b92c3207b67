// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaHistory.SetAside;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Why a message was set aside is not hidden by later copies, which are set aside because it was. */
class SagaBlocksTest {

    private static final String FAILED = "handler-failed";
    private static final String BEFORE = "set-aside-before";

    private final SagaDocument saga = SagaDocument.start("Order", "o-1", Instant.EPOCH);

    private @Nullable BlockedOn put(String node, String reason, long recordVersion) {
        return saga.blocks().put(new Block(new BlockedOn("m-1", "Capture", node, reason), recordVersion, 0, false));
    }

    private void hear(String node, String reason) {
        saga.note(Instant.EPOCH, new SetAside(new BlockedOn("m-1", "Capture", node, reason)).words());
    }

    private List<String> reasons() {
        return saga.blocks().messages().stream().map(BlockedOn::reason).toList();
    }

    @Test
    void keepsTheFailureWhenALaterCopyIsSetAside() {
        assertThat(put("billing", FAILED, 3)).isNotNull();

        assertThat(put("billing", BEFORE, 4)).isEqualTo(new BlockedOn("m-1", "Capture", "billing", FAILED));

        assertThat(reasons()).containsExactly(FAILED);
    }

    @Test
    void remembersTheLatestFailureAfterARetryHasRemovedTheBlock() {
        hear("billing", "too-large");
        hear("billing", FAILED);
        hear("billing", BEFORE);

        var unused = put("billing", BEFORE, 4);

        assertThat(reasons()).containsExactly(FAILED);
    }

    @Test
    void learnsTheFailureAlsoIfItsNewsComesLater() {
        assertThat(put("billing", BEFORE, 4)).isNotNull();

        assertThat(put("billing", FAILED, 3)).isNull();

        assertThat(reasons()).containsExactly(FAILED);
        assertThat(saga.blocks().all()).extracting(Block::recordVersion).containsExactly(4L);
    }

    @Test
    void keepsAFailureIfTheNewsOfAnEarlierOneComesLater() {
        assertThat(put("billing", "too-old", 4)).isNotNull();

        assertThat(put("billing", FAILED, 3)).isNull();

        assertThat(reasons()).containsExactly("too-old");
    }

    @Test
    void takesNoFailureOfAnotherNodeOrMessage() {
        hear("shipping", FAILED);
        saga.note(Instant.EPOCH, new SetAside(new BlockedOn("m-2", "Capture", "billing", FAILED)).words());
        assertThat(put("shipping", FAILED, 3)).isNotNull();

        var unused = put("billing", BEFORE, 4);

        assertThat(reasons()).containsExactly(FAILED, BEFORE);
    }

    @Test
    void aFailureOfItsOwnReplacesAnotherOne() {
        assertThat(put("billing", FAILED, 3)).isNotNull();

        assertThat(put("billing", "too-old", 4)).isNotNull();

        assertThat(reasons()).containsExactly("too-old");
    }
}
