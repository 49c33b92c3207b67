// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * One way to do the work of a contest.
 *
 * @param name unique in its contest
 */
public record Contender(String name, Measurement measurement) {

    /** Does the work once. Called repeatedly by one thread. */
    @FunctionalInterface
    public interface Measurement {
        Figures measure() throws Exception;
    }
}
