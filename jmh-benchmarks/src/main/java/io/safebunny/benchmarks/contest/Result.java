// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

import java.util.Map;

/**
 * How a contest ended.
 *
 * @param figures by contender and name of the figure
 * @param ratios by key
 */
public record Result(Contest contest, Map<String, Map<String, Spread>> figures, Map<String, Spread> ratios) {}
