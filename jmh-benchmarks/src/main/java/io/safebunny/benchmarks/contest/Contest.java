// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.List;

/**
 * The same work, done by several contenders in turn.
 *
 * @param title short, and unique in the ledger
 * @param conditions what is the same for all
 * @param ratios of messages per second
 */
public record Contest(String title, String conditions, List<Contender> contenders, List<Ratio> ratios) {

    public Contest {
        contenders = List.copyOf(contenders);
        ratios = List.copyOf(ratios);
    }
}
