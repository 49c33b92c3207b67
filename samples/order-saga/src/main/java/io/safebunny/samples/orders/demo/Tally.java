// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

/**
 * What the ledger says of some orders.
 *
 * @param accepted orders that the node {@code orders} took
 * @param completed orders that ended well
 * @param cancelled orders that ended otherwise
 * @param mails mails to these orders' customers, each kind counted once per order
 * @param surplus rows beyond the first per order
 */
record Tally(long accepted, long completed, long cancelled, long mails, Surplus surplus) {

    /**
     * Rows beyond the first per order, for each effect; {@code steps} are acceptances and ends, of which an order has
     * one.
     */
    record Surplus(long charges, long shipments, long refunds, long mails, long steps) {}

    long ended() {
        return completed + cancelled;
    }

    /** Two for each order that ended. */
    long missingMails() {
        return Math.max(0, 2 * ended() - mails);
    }

    /** Everything that can be waited for. */
    long progress() {
        return accepted + ended() + mails;
    }

    boolean isComplete(long orders) {
        return ended() >= orders && missingMails() == 0;
    }
}
