// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An operation on copies in the poison queue, running in the background. Thread-safe. */
public interface PoisonOperation {

    /** Id of the operation; in all its log lines. */
    String id();

    Kind kind();

    /** The request: what, by whom, and why. */
    PoisonRequest request();

    /** When it was requested. */
    Instant begunAt();

    Progress progress();

    /** The copies it has checked so far, grouped; without the one of an edit. */
    Groups groups();

    /** Stops it before the next copy. Copies already moved stay moved. Has no effect on an edit or an operation that has ended. */
    void cancel();

    /**
     * Waits for its end, at most for the given time.
     *
     * @return its progress at that moment
     */
    Progress await(Duration patience) throws InterruptedException;

    /** Kind of operation. */
    enum Kind {
        /** Moves copies back to their handlers' queues. */
        REPLAY,
        /** Replaces the body of one copy. */
        EDIT,
        /** Moves copies to the archive of the poison queue. */
        DISCARD,
        /** Moves copies from the archive back to the poison queue. */
        RESTORE
    }

    /** State of an operation. */
    enum RunState {
        RUNNING,
        /**
         * All matching copies, up to the filter's limit, were checked, and moved if their verdict allowed it and the broker
         * accepted them. Not included: {@link Progress#missed} copies, copies held by others at the start, and copies set aside
         * since. If others hold all copies, it waits three seconds for them.
         */
        ENDED,
        CANCELLED,
        /** {@link Progress#failure} says why. Copies already moved stay moved; the others are still in the queue. */
        FAILED
    }

    /**
     * Progress of an operation.
     *
     * @param depth copies in the queue when it took the first one, which is included; 0 before that, and for an edit
     * @param scanned how many of them it has read, matching or not
     * @param matched copies checked so far
     * @param moved copies moved and confirmed, or in a dry run those that would have been moved
     * @param verdicts number of copies by verdict
     * @param refusals the first 100 copies that were not moved, with the reason, without headers
     * @param missed copies that were in the queue at the start, matching or not, but never reached this operation: others have
     *     moved them, or browsed them for longer than the three seconds it waits; 0 while it runs. Copies that others held at the
     *     start are not counted, because a broker does not report them
     * @param endedAt when it ended; {@code null} while it runs
     * @param failure why it failed, beginning with the code if there is one; {@code null} unless it failed
     * @param failureCode code of the failure, such as SB-5015; {@code null} if there is none
     */
    record Progress(
            RunState state,
            long depth,
            long scanned,
            int matched,
            int moved,
            Map<Verdict, Integer> verdicts,
            List<PoisonedMessage> refusals,
            long missed,
            @Nullable Instant endedAt,
            @Nullable String failure,
            @Nullable String failureCode) {

        public Progress {
            verdicts = Map.copyOf(verdicts);
            refusals = List.copyOf(refusals);
        }
    }

    /**
     * What an operation has checked, grouped.
     *
     * @param groups largest first; at most 1,000. If there are more, those of one copy are given up first
     * @param others copies that were counted in none of these, because there are more groups or a name has more than 250 characters;
     *     if there are any, a group may have more copies than it says
     * @param forgotten whether the groups were forgotten for those of later operations: all that have ended on an instance keep
     *     5,000 together, dry runs and later ones first
     */
    record Groups(List<PoisonGroup> groups, int others, boolean forgotten) {

        public Groups {
            groups = List.copyOf(groups);
        }
    }
}
