// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Measures how long others' claims have not changed, by this process's own monotonic clock: clocks of two machines are never
 * compared. The oldest observations are dropped, which only delays a takeover. Thread-safe.
 */
public final class LeaseWatch {

    /** As many as an operation on poison messages may ask for, in the same order each time. */
    private static final int MOST = 100_000;

    private final Timeline timeline;
    private final Map<RecordKey, Observation> observations = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordKey, Observation> eldest) {
            return size() > MOST;
        }
    };

    public LeaseWatch(Timeline timeline) {
        this.timeline = timeline;
    }

    private record Observation(String owner, long version, long since) {
        boolean isOf(MessageRecord claim) {
            return version == claim.version() && owner.equals(claim.owner());
        }
    }

    /** What is left of the claim's lease; zero or negative when its owner has fallen silent. */
    public synchronized Duration remaining(MessageRecord claim) {
        long now = timeline.nanoTime();
        Observation seen = observations.get(claim.key());
        if (seen == null || !seen.isOf(claim)) {
            observations.remove(claim.key()); // re-inserted as the youngest
            observations.put(claim.key(), new Observation(claim.owner(), claim.version(), now));
            return claim.lease();
        }
        return claim.lease().minusNanos(now - seen.since);
    }

    synchronized void forget(RecordKey key) {
        observations.remove(key);
    }
}
