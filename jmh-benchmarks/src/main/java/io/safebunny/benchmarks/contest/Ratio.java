// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * A figure of one contender divided by that of another in the same round.
 *
 * @param key unique in the ledger
 * @param goal the minimum aimed at; 0 for none
 */
public record Ratio(String key, String of, String to, double goal) {}
