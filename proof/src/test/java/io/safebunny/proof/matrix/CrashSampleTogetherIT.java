// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import static io.safebunny.proof.matrix.Sample.assertAllOk;

import io.safebunny.proof.store.StoreKind;
import io.safebunny.proof.store.StoreServers;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A few cells of the matrix of {@code bin/crash-matrix} whose messages belong together: in sagas, in order, in shared transactions and in batches. */
@Tag("once")
class CrashSampleTogetherIT {

    private static final StoreServers SERVERS = new StoreServers();

    private static final Set<String> SAGA_SAMPLE =
            Set.of("saga: halt before complete of UndoB", "saga: halt after complete of BunnyUndone");

    private static final Set<String> GROUP_SAMPLE =
            Set.of("group: halt after commit of a group", "group: one of them fails");

    private static final Set<String> BATCH_SAMPLE = Set.of(
            "batch: halt after claim of a group",
            "batch: halt before commit, number 2",
            "batch: halt after commit, number 2",
            "batch: halt after acknowledge in a group",
            "batch: one of them fails");

    private static final Set<String> ORDER_SAMPLE =
            Set.of("in order: halt after acknowledge, number 2", "in order: halt after complete");

    private static final Set<String> HOLD_SAMPLE = Set.of(
            "in order, replayed: halt after poison mark",
            "in order, replayed: halt after send waiting copy: the replay",
            "in order, discarded: halt after store step: the others are let go");

    private static final Set<String> SHARD_SAMPLE = Set.of(
            "in order, in shards: halt before acknowledge",
            "in order, in shards: halt after send mark to a shard, number 2: before a change");

    @AfterAll
    static void stopServers() {
        SERVERS.close();
    }

    @Test
    void sagasAreUndoneOnceAndInReverse() throws Exception {
        assertAllOk(
                SAGA_SAMPLE,
                List.of(
                        SERVERS.address(StoreKind.POSTGRESQL, true),
                        SERVERS.address(StoreKind.MYSQL, false),
                        SERVERS.address(StoreKind.H2, false)));
    }

    @Test
    void messagesInOrderBeginWhenTheOneBeforeHasEnded() throws Exception {
        assertAllOk(
                ORDER_SAMPLE,
                List.of(SERVERS.address(StoreKind.POSTGRESQL, true), SERVERS.address(StoreKind.H2, false)));
    }

    @Test
    void whatAFailedMessageHoldsGoesOnWhenItIsReplayedOrDiscarded() throws Exception {
        assertAllOk(HOLD_SAMPLE, List.of(SERVERS.address(StoreKind.POSTGRESQL, true)));
    }

    @Test
    void messagesForwardedToShardsKeepTheirOrder() throws Exception {
        assertAllOk(SHARD_SAMPLE, List.of(SERVERS.address(StoreKind.POSTGRESQL, true)));
    }

    @Test
    void messagesThatShareATransactionDoNotPayForEachOther() throws Exception {
        assertAllOk(GROUP_SAMPLE, List.of(SERVERS.address(StoreKind.POSTGRESQL, true)));
    }

    @Test
    void messagesOfABatchDoNotPayForEachOther() throws Exception {
        assertAllOk(
                BATCH_SAMPLE,
                List.of(SERVERS.address(StoreKind.POSTGRESQL, true), SERVERS.address(StoreKind.H2_FILE, true)));
    }
}
