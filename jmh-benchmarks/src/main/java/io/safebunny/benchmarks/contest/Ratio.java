// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * A figure of one contender divided by that of another one of the same round.
 *
 * @param key unique in the ledger
 * @param goal what was aimed at, at least; 0 for nothing
 */
public record Ratio(String key, String of, String to, double goal) {}
