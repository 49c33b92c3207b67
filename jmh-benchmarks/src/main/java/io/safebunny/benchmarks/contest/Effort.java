// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * How much is measured.
 *
 * @param warmUps rounds that do not count
 * @param rounds rounds that count
 * @param share fraction of a full run's messages
 */
public record Effort(int warmUps, int rounds, double share) {

    public static final Effort FULL = new Effort(1, 5, 1);
    public static final Effort QUICK = new Effort(1, 3, 0.3);

    public int messages(int ofFullRun) {
        return (int) Math.round(ofFullRun * share);
    }
}
