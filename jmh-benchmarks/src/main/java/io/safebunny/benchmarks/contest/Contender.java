// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.contest;

/**
 * One way to do the work of a contest.
 *
 * @param name unique in its contest
 * @param warmUp what it does in rounds that do not count
 */
public record Contender(String name, Measurement measurement, Measurement warmUp) {

    public Contender(String name, Measurement measurement) {
        this(name, measurement, measurement);
    }

    /** Does the work once. Called repeatedly by one thread. */
    @FunctionalInterface
    public interface Measurement {
        Figures measure() throws Exception;
    }
}
