// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.List;
import java.util.Map;

/**
 * The results of a contest.
 *
 * @param figures figures by contender and name
 * @param ratios ratios and costs by key
 * @param bins of the last round, by contender; of those that have any
 */
public record Result(
        Contest contest,
        Map<String, Map<String, Spread>> figures,
        Map<String, Spread> ratios,
        Map<String, List<Bin>> bins) {}
