// SPDX-License-Identifier: Apache-2.0
package io.safebunny.quarantine;

/**
 * What is known, where it is asked, of a message that may be what ends the processes that handle it.
 *
 * @param deliveries failed ones, as the broker counts them: a process ended, or only a connection; 0 where it counts none
 * @param takeovers claims of it in a row, the present one included, that took over from one that fell silent; 0 without a store
 * @param survived whether this very process went on after an earlier delivery of it was cut off
 */
public record Evidence(int deliveries, int takeovers, boolean survived) {

    private static final Evidence NONE = new Evidence(0, 0, false);

    /** As the message comes from the broker. */
    public static Evidence ofBroker(int deliveries) {
        return deliveries == 0 ? NONE : new Evidence(deliveries, 0, false);
    }

    /** As its record has it. */
    public static Evidence ofRecord(int takeovers) {
        return takeovers == 0 ? NONE : new Evidence(0, takeovers, false);
    }
}
