// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.List;

/**
 * The same work, done by several contenders in turn. Immutable.
 *
 * @param title short, and unique in the ledger
 * @param conditions what is the same for all contenders
 * @param ratios ratios of messages or sagas per second to report
 */
public record Contest(String title, String conditions, List<Contender> contenders, List<Ratio> ratios) {

    public Contest {
        contenders = List.copyOf(contenders);
        ratios = List.copyOf(ratios);
    }
}
