// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.spi.store.StoreUnavailableException;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether the store answers, as its last call says; there is one at least every lease. Thread-safe. */
final class StoreAnswers {

    private final Supplier<Instant> clock;
    private volatile @Nullable StoreOutage outage;

    StoreAnswers(Supplier<Instant> clock) {
        this.clock = clock;
    }

    void failed(StoreUnavailableException failure) {
        StoreOutage before = outage;
        Instant since = before == null ? clock.get() : before.since();
        outage = new StoreOutage(since, String.valueOf(failure.getMessage()));
    }

    void answered() {
        if (outage != null) { // a read of a field that hardly ever changes, for each call of the store
            outage = null;
        }
    }

    @Nullable
    StoreOutage outage() {
        return outage;
    }
}
