// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

/**
 * Signs that a message may be crashing the processes that handle it, as far as the process that decides knows them.
 *
 * @param deliveries number of failed deliveries, as counted by the broker, each caused by a crash or merely a lost connection; 0 if the
 *     broker does not count them
 * @param takeovers consecutive claims, including the present one, that took over from a silent one; 0 without a store
 * @param survived whether this process survived an earlier delivery of the message that was cut off
 */
public record Evidence(int deliveries, int takeovers, boolean survived) {

    private static final Evidence NONE = new Evidence(0, 0, false);

    /** The evidence in a message as delivered by the broker. */
    public static Evidence ofBroker(int deliveries) {
        return deliveries == 0 ? NONE : new Evidence(deliveries, 0, false);
    }

    /** The evidence in the message's record. */
    public static Evidence ofRecord(int takeovers) {
        return takeovers == 0 ? NONE : new Evidence(0, takeovers, false);
    }
}
