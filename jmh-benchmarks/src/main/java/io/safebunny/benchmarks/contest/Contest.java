// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.List;

/**
 * The same work, done by several contenders in turn. Immutable.
 *
 * @param title short, and unique in the ledger
 * @param conditions what is the same for all contenders
 * @param ratios ratios of messages or sagas per second to report
 * @param costs what a contender does for each message, to report
 * @param once whether it is measured a single time, without warming up, because it takes long
 */
public record Contest(
        String title,
        String conditions,
        List<Contender> contenders,
        List<Ratio> ratios,
        List<Cost> costs,
        boolean once) {

    public Contest {
        contenders = List.copyOf(contenders);
        ratios = List.copyOf(ratios);
        costs = List.copyOf(costs);
    }

    public Contest(String title, String conditions, List<Contender> contenders, List<Ratio> ratios) {
        this(title, conditions, contenders, ratios, List.of(), false);
    }

    /** A contest that is measured a single time. */
    public static Contest once(String title, String conditions, List<Contender> contenders) {
        return new Contest(title, conditions, contenders, List.of(), List.of(), true);
    }
}
