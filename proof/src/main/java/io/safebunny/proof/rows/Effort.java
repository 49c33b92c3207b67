// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import java.util.function.Consumer;

/**
 * How much is done for a row. Immutable.
 *
 * @param quick a share of the full run, which says so in its figures
 * @param seed of everything random
 * @param progress is told how far a row has got
 */
public record Effort(boolean quick, long seed, Consumer<String> progress) {

    public int of(int full, int share) {
        return quick ? share : full;
    }
}
