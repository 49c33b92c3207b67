// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * What ended within {@value Bins#MILLIS} ms.
 *
 * @param ended how many
 * @param median of the time they took, in milliseconds, like the percentiles; 0 if none ended
 */
public record Bin(int ended, double median, double p95, double p99) {}
