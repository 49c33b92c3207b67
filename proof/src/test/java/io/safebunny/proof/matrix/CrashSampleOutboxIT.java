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

/** A few cells of the matrix of {@code bin/crash-matrix}: with an outbox, and in a file, which goes down with its process. */
@Tag("once")
class CrashSampleOutboxIT {

    private static final StoreServers SERVERS = new StoreServers();

    private static final Set<String> OUTBOX_SAMPLE =
            Set.of("outbox: halt before publications commit", "outbox: halt after send first publication");

    @AfterAll
    static void stopServers() {
        SERVERS.close();
    }

    @Test
    void whatIsCommittedIsSentOnceAndNothingElse() throws Exception {
        assertAllOk(
                OUTBOX_SAMPLE,
                List.of(SERVERS.address(StoreKind.POSTGRESQL, true), SERVERS.address(StoreKind.MYSQL, true)));
    }

    /** No other process keeps the database alive. */
    @Test
    void aFileGoesDownWithTheProcess() throws Exception {
        assertAllOk(
                Set.of("halt after commit", "halt after send first publication"),
                List.of(SERVERS.address(StoreKind.H2_FILE, true)));
        assertAllOk(OUTBOX_SAMPLE, List.of(SERVERS.address(StoreKind.H2_FILE, true)));
    }
}
