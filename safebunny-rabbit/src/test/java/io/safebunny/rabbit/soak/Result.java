// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What came of a run, as it is printed.
 *
 * @param seconds of traffic and faults
 * @param secondsToRest from the end of the faults until the queues were empty, or the patience was over
 * @param published different orders
 * @param failed publications whose caller was told that they are not confirmed; they were published again with the same key
 * @param handled different messages of both nodes
 * @param poisoned messages in queues where they are set aside
 * @param left messages in any other queue at the end
 * @param longestPause in seconds, between two confirms; the publisher also waits while a consuming node is far behind
 * @param intervals of the traffic, in their order
 */
record Result(
        boolean passed,
        String series,
        String version,
        int brokers,
        long seed,
        long seconds,
        long secondsToRest,
        int published,
        int confirmed,
        int failed,
        int handled,
        int lost,
        int handledTwice,
        int poisoned,
        int left,
        int faults,
        Map<String, Integer> faultsByKind,
        double longestPause,
        Share withDeduplication,
        Share withoutDeduplication,
        List<Interval> intervals) {

    /**
     * One consuming node.
     *
     * @param lost confirmed, by the publisher or by its own dispatch, and not handled
     * @param longestPause in seconds, between two messages handled
     */
    record Share(int handled, int lost, int handledTwice, double longestPause) {

        static Share of(HandledMessages node, int lost) {
            return new Share(
                    node.count(),
                    lost,
                    node.handledTwice(),
                    seconds(node.pulse().longestSilence()));
        }
    }

    static double seconds(Duration duration) {
        return Math.round(duration.toMillis() / 100.0) / 10.0;
    }
}
