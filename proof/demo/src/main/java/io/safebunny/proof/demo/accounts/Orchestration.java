// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What a report says of sagas with state.
 *
 * @param compensated cancelled orders for which something was undone
 * @param compensationFailed how often an undo was set aside, until somebody repaired it
 * @param timeouts orders whose payment was too late
 * @param stuck how often a message of a saga was set aside, until somebody repaired it
 * @param repairs what chaos needed people for
 * @param unfinished sagas that have not ended at the end of the run
 * @param unbalanced orders for which not exactly as much was undone as was done
 */
public record Orchestration(
        long compensated,
        long compensationFailed,
        long timeouts,
        long stuck,
        long repairs,
        long unfinished,
        long unbalanced,
        long charges,
        long refunds,
        long shipments,
        long returns,
        long reservations,
        long releases) {

    public static Orchestration of(Tally.Books books, Counts counts, long unfinished, long repairs) {
        return new Orchestration(
                books.compensated(),
                counts.compensationsFailed(),
                books.timeouts(),
                counts.sagasStuck(),
                repairs,
                unfinished,
                books.unbalanced(),
                books.charges(),
                books.refunds(),
                books.shipments(),
                books.returns(),
                books.reservations(),
                books.releases());
    }

    /** Whether all sagas have ended, and what was undone is what had been done for the orders that failed. */
    @JsonIgnore
    boolean isClean() {
        return unfinished == 0 && unbalanced == 0;
    }

    void addTo(StringBuilder table) {
        table.append(Report.format("%n"));
        Report.line(table, "charged", charges);
        Report.line(table, "refunded", refunds);
        Report.line(table, "reserved", reservations);
        Report.line(table, "released", releases);
        Report.line(table, "shipped", shipments);
        Report.line(table, "taken back", returns);
        Report.line(table, "orders whose books do not balance", unbalanced);
        table.append(Report.format("%n"));
        Report.line(table, "orders undone", compensated);
        Report.line(table, "payments that were too late", timeouts);
        Report.line(table, "undos that failed", compensationFailed);
        Report.line(table, "sagas that got stuck", stuck);
        Report.line(table, "repairs", repairs);
        Report.line(table, "sagas that have not ended", unfinished);
    }

    String verdict() {
        return ", books that do not balance: %s, sagas that have not ended: %s".formatted(unbalanced, unfinished);
    }
}
