// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

/** The names of orders. Their names tell which of them are refused, so that no contender has to look it up. */
final class Order {

    /** Its last step is the one that may be refused. */
    static final int STEPS = 4;

    /** One in so many is refused. */
    static final int REFUSED = 100;

    private static final int FIRST_REFUSED = 7;
    private static final String PREFIX_REFUSED = "refused-";

    private Order() {}

    /** @param number from 0 */
    static String named(String phase, int number) {
        return (number % REFUSED == FIRST_REFUSED ? PREFIX_REFUSED : "order-") + phase + "-" + number;
    }

    static boolean isRefused(String order) {
        return order.startsWith(PREFIX_REFUSED);
    }

    /** How many of the first orders are refused. */
    static int refused(int orders) {
        return (orders - FIRST_REFUSED + REFUSED - 1) / REFUSED;
    }
}
