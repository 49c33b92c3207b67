// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

/**
 * What the nodes of one process did, apart from what the ledger shows.
 *
 * @param duplicatesDelivered deliveries of a message that its queue had delivered to this process before, not counting retries
 * @param redelivered deliveries of a message that the broker had delivered before, to any consumer, without an acknowledgement
 * @param duplicatesSuppressed deliveries that were acknowledged without being handled again
 * @param claimsTakenOver claims taken over because their owners fell silent; none with a transactional store, whose claims end
 *     with the connection
 * @param sagasStuck how often a saga got stuck
 * @param compensationsFailed how often the undo of a saga was set aside
 */
public record Counts(
        long duplicatesDelivered,
        long redelivered,
        long duplicatesSuppressed,
        long claimsTakenOver,
        long retriesInMemory,
        long retriesDelayed,
        long poisoned,
        long sagasStuck,
        long compensationsFailed) {

    public Counts plus(Counts other) {
        return new Counts(
                duplicatesDelivered + other.duplicatesDelivered,
                redelivered + other.redelivered,
                duplicatesSuppressed + other.duplicatesSuppressed,
                claimsTakenOver + other.claimsTakenOver,
                retriesInMemory + other.retriesInMemory,
                retriesDelayed + other.retriesDelayed,
                poisoned + other.poisoned,
                sagasStuck + other.sagasStuck,
                compensationsFailed + other.compensationsFailed);
    }
}
