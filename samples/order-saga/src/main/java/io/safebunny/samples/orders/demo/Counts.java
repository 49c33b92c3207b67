// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

/**
 * What nodes of one process did, beside what the ledger shows.
 *
 * @param duplicatesDelivered deliveries of a message that this queue had delivered to this process before, other than for a
 *     retry
 * @param redelivered deliveries that the broker had made before, to whomever, without an acknowledgement
 * @param duplicatesSuppressed deliveries that were acknowledged without being handled again
 * @param claimsTakenOver messages that somebody else had begun to handle and fell silent; none with a transactional store,
 *     whose claims end with the connection
 */
record Counts(
        long duplicatesDelivered,
        long redelivered,
        long duplicatesSuppressed,
        long claimsTakenOver,
        long retriesInMemory,
        long retriesDelayed,
        long poisoned) {

    Counts plus(Counts other) {
        return new Counts(
                duplicatesDelivered + other.duplicatesDelivered,
                redelivered + other.redelivered,
                duplicatesSuppressed + other.duplicatesSuppressed,
                claimsTakenOver + other.claimsTakenOver,
                retriesInMemory + other.retriesInMemory,
                retriesDelayed + other.retriesDelayed,
                poisoned + other.poisoned);
    }
}
