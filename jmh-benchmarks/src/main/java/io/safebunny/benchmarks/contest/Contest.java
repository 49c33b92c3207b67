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
 */
public record Contest(
        String title, String conditions, List<Contender> contenders, List<Ratio> ratios, List<Cost> costs, Plan plan) {

    public Contest {
        contenders = List.copyOf(contenders);
        ratios = List.copyOf(ratios);
        costs = List.copyOf(costs);
    }

    public Contest(String title, String conditions, List<Contender> contenders, List<Ratio> ratios) {
        this(title, conditions, contenders, ratios, List.of(), Plan.ROUNDS);
    }

    public Contest with(Cost... newCosts) {
        return new Contest(title, conditions, contenders, ratios, List.of(newCosts), plan);
    }

    public Contest with(Plan newPlan) {
        return new Contest(title, conditions, contenders, ratios, costs, newPlan);
    }

    /** The same where none of the contests before it is played. */
    public Contest alone() {
        return plan == Plan.WARM_ROUNDS ? with(Plan.ROUNDS) : this;
    }
}
