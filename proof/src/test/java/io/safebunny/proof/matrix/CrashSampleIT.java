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

/** A few cells of the matrix of {@code bin/crash-matrix} whose messages are handled alone, one or two for each kind of guarantee. */
@Tag("once")
class CrashSampleIT {

    private static final StoreServers SERVERS = new StoreServers();

    /** Names of rows in {@link Scenarios}. */
    private static final Set<String> SAMPLE = Set.of(
            "halt before complete",
            "halt after complete",
            "halt after send first publication",
            "halt before acknowledge",
            "halt after release",
            "halt after poison mark",
            "two instances, same message at once",
            "zombie after handler");

    @AfterAll
    static void stopServers() {
        SERVERS.close();
    }

    @Test
    void nothingIsLostOrDoneTwice() throws Exception {
        assertAllOk(
                SAMPLE,
                List.of(
                        SERVERS.address(StoreKind.POSTGRESQL, true),
                        SERVERS.address(StoreKind.MYSQL, true),
                        SERVERS.address(StoreKind.H2, false)));
    }
}
