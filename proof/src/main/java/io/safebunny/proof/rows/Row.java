// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

/**
 * One thing to be proved.
 *
 * @param key its name in the output
 * @param target what must come out, for people
 */
public record Row(String key, String target, Proof proof) {

    /** Measures. */
    @FunctionalInterface
    public interface Proof {
        Finding find(Effort effort) throws Exception;
    }
}
