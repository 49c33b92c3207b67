// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.soak;

import java.time.Duration;

/** What is published; its number decides how it is handled, so that every process and the judge know. */
record Order(int number) {

    /** What the ledger knows it by. */
    static String id(int number) {
        return "order-" + number;
    }

    /** How long its handler takes. */
    Duration handling() {
        return Duration.ofMillis(number % 100 == 7 ? 300 + number % 1_000 : 2 + number % 12);
    }

    /** Whether its handler fails on the first delivery, so that it goes through a delayed retry. */
    boolean failsOnce() {
        return number % 10 == 1;
    }

    /** Whether its handler publishes a {@link Receipt}. */
    static boolean hasReceipt(int number) {
        return number % 4 == 1;
    }

    /** How long it waits before it is handled. */
    Duration delay() {
        return number % 25 == 2 ? Duration.ofMillis(100 + number % 2_000) : Duration.ZERO;
    }
}
