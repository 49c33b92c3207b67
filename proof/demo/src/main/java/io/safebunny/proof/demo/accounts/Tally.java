// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

/**
 * What the ledger says about some orders.
 *
 * @param accepted orders that the node {@code orders} accepted
 * @param completed orders that ended well
 * @param cancelled orders that were cancelled
 * @param mails mails to these orders' customers, each kind counted once per order
 * @param disorderedMails orders whose customer heard of the end first
 * @param surplus rows beyond the first per order
 * @param books what was done and undone; only an orchestrated run does all of it
 */
public record Tally(
        long accepted, long completed, long cancelled, long mails, long disorderedMails, Surplus surplus, Books books) {

    /**
     * Rows beyond the first per order, for each effect; {@code steps} are acceptances and ends, of which an order has
     * one.
     */
    record Surplus(long charges, long shipments, long refunds, long mails, long steps) {}

    /**
     * What was done and undone for the orders.
     *
     * @param timeouts orders whose payment was too late
     * @param compensated cancelled orders for which something was undone
     * @param unbalanced orders for which not exactly as much was undone as was done, but for one charge, one reservation and one
     *     shipment of each that ended well
     */
    record Books(
            long charges,
            long refunds,
            long shipments,
            long returns,
            long reservations,
            long releases,
            long timeouts,
            long compensated,
            long unbalanced) {}

    public long ended() {
        return completed + cancelled;
    }

    /** Mails not sent yet, of the two for each ended order. */
    long missingMails() {
        return Math.max(0, 2 * ended() - mails);
    }

    /** A number that grows with everything worth waiting for. */
    public long progress() {
        return accepted + ended() + mails;
    }

    public boolean isComplete(long orders) {
        return ended() >= orders && missingMails() == 0;
    }
}
