// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A replay that was begun and goes on by itself. Thread-safe. */
public interface Replay {

    /** Occurs with everything that is logged of it. */
    String id();

    Progress progress();

    /** Ends it before the next copy. What was moved stays moved. No effect on one that has ended. */
    void cancel();

    /**
     * Waits for its end, but no longer than that.
     *
     * @return how far it is by then
     */
    Progress await(Duration patience) throws InterruptedException;

    /** How a replay ended, or that it has not. */
    enum State {
        RUNNING,
        /** All that matched were judged, and moved if their verdict says so. */
        ENDED,
        CANCELLED,
        /** {@link Progress#failure} says why. What was moved stays moved, and the rest is in the poison queue. */
        FAILED
    }

    /**
     * How far it is.
     *
     * @param matched copies that were judged so far
     * @param moved those that were moved and confirmed, or would have been in a dry run
     * @param verdicts how many copies had which verdict
     * @param refusals the first 100 copies that were not moved, with the reason
     * @param failure what ended it; {@code null} unless it failed
     */
    record Progress(
            State state,
            int matched,
            int moved,
            Map<Verdict, Integer> verdicts,
            List<PoisonedMessage> refusals,
            @Nullable String failure) {

        public Progress {
            verdicts = Map.copyOf(verdicts);
            refusals = List.copyOf(refusals);
        }
    }
}
