// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import io.safebunny.BunnyMessage;
import java.util.Objects;
import java.util.Random;

/** A message of the row, one of a sequence for each key. What becomes of it follows from the seed, in each process. */
interface Step {

    String key();

    /** Its place in the sequence of its key, from 0. */
    int number();

    /** What becomes of it. */
    enum Fate {
        HANDLED,
        /** Its first attempt fails. */
        RETRIED,
        /** Its first two attempts fail. */
        RETRIED_TWICE,
        /** It is set aside at its first attempt. */
        POISON
    }

    /** Those behind one that is poison go on without it. */
    @BunnyMessage(orderBy = "key")
    record Skipping(String key, int number) implements Step {}

    /** Those behind one that is poison wait until it is replayed. */
    @BunnyMessage(orderBy = "key")
    record Holding(String key, int number) implements Step {}

    /** What the handler publishes where its store knows no transactions. */
    record Done(String key, int number) {}

    static Step of(int key, int number) {
        return key % 2 == 0 ? new Skipping("skipping-" + key, number) : new Holding("holding-" + key, number);
    }

    /** One in a hundred is poison, and four are retried. */
    default Fate fate(long seed) {
        int percent = new Random(Objects.hash(seed, key(), number())).nextInt(100);
        return switch (percent) {
            case 0 -> Fate.POISON;
            case 1, 2, 3 -> Fate.RETRIED;
            case 4 -> Fate.RETRIED_TWICE;
            default -> Fate.HANDLED;
        };
    }
}
