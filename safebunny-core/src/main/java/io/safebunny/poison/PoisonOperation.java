// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Something that is done with copies in the poison queue, and goes on by itself. Thread-safe. */
public interface PoisonOperation {

    /** Occurs with everything that is logged of it. */
    String id();

    Kind kind();

    /** What was asked for, by whom, and why. */
    PoisonRequest request();

    /** When it was asked for. */
    Instant begunAt();

    Progress progress();

    /** Ends it before the next copy. What was moved stays moved. No effect on an edit, nor on what has ended. */
    void cancel();

    /**
     * Waits for its end, but no longer than that.
     *
     * @return how far it is by then
     */
    Progress await(Duration patience) throws InterruptedException;

    /** What is done. */
    enum Kind {
        /** Copies go back to the queues of their handlers. */
        REPLAY,
        /** One copy gets another body. */
        EDIT,
        /** Copies go to the archive of the poison queue. */
        DISCARD,
        /** Copies go from the archive back to the poison queue. */
        RESTORE
    }

    /** How an operation ended, or that it has not. */
    enum State {
        RUNNING,
        /**
         * All that matched, up to the filter's limit, were judged, and moved if their verdict says so and the broker took them; except
         * {@link Progress#missed}, what others held when it began, and what was set aside since. If others hold everything it waits for it,
         * for three seconds.
         */
        ENDED,
        CANCELLED,
        /** {@link Progress#failure} says why. What was moved stays moved, and the rest is in its queue. */
        FAILED
    }

    /**
     * How far it is.
     *
     * @param matched copies that were judged so far
     * @param moved those that were moved and confirmed, or would have been in a dry run
     * @param verdicts how many copies had which verdict
     * @param refusals the first 100 copies that were not moved, with the reason, without their headers
     * @param missed copies that waited in the queue when it began and that it never got, matching or not: others have moved them, or were
     *     looking at them for longer than it waits, three seconds; 0 while it runs. Copies that others held already when it began are not
     *     counted, because a broker does not tell how many these are
     * @param failure what ended it, beginning with its code if it has one; {@code null} unless it failed
     * @param failureCode the code of what ended it, such as SB-5015; {@code null} unless it failed with one
     */
    record Progress(
            State state,
            int matched,
            int moved,
            Map<Verdict, Integer> verdicts,
            List<PoisonedMessage> refusals,
            long missed,
            @Nullable String failure,
            @Nullable String failureCode) {

        public Progress {
            verdicts = Map.copyOf(verdicts);
            refusals = List.copyOf(refusals);
        }
    }
}
