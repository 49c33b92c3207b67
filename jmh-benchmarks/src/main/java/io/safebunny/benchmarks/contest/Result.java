// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.Map;

/**
 * The results of a contest.
 *
 * @param figures figures by contender and name
 * @param ratios ratios by key
 */
public record Result(Contest contest, Map<String, Map<String, Spread>> figures, Map<String, Spread> ratios) {}
