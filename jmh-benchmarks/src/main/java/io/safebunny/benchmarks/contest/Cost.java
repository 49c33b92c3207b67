// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * A figure of one contender that is counted, not timed.
 *
 * @param key unique in the ledger, among the ratios too
 * @param figure its name among the contender's figures
 * @param goal the maximum aimed at
 */
public record Cost(String key, String of, String figure, double goal) {}
