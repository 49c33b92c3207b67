// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long others' claims have not changed, by this process' own monotonic clock: no two clocks are ever compared. The oldest
 * observations are forgotten, which only makes a takeover later. Thread-safe.
 */
final class LeaseWatch {

    private static final int MOST = 10_000;

    private final Timeline timeline;
    private final Map<RecordKey, Observation> observations = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, Observation> eldest) {
            return size() > MOST;
        }
    };

    LeaseWatch(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Observation(String owner, long version, long since) {
        boolean isOf(MessageRecord claim) {
            return version == claim.version() && owner.equals(claim.owner());
        }
    }

    /** What is left of the claim's lease; zero or less: its owner fell silent. */
    synchronized Duration remaining(MessageRecord claim) {
        long now = timeline.nanoTime();
        Observation seen = observations.get(claim.key());
        if (seen == null || !seen.isOf(claim)) {
            observations.remove(claim.key()); // a new observation is a young one
            observations.put(claim.key(), new Observation(claim.owner(), claim.version(), now));
            return claim.lease();
        }
        return claim.lease().minusNanos(now - seen.since);
    }

    synchronized void forget(RecordKey key) {
        observations.remove(key);
    }
}
