// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.demo;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads from the ledger what happened to each order, and counts the orders by how they ended. */
final class Accounts {

    /** An order without acceptance was accepted by an earlier run: a broker may still hold messages about it. */
    private static final String TALLY = """
        select
            count(*) filter (where accepted > 0) as orders,
            count(*) filter (where accepted > 0 and completed > 0) as ended_well,
            count(*) filter (where accepted > 0 and completed = 0 and cancelled > 0) as ended_otherwise,
            count(*) filter (where accepted > 0 and received > 0)
                + count(*) filter (where accepted > 0 and outcome > 0) as mails,
            coalesce(sum(greatest(charges - 1, 0)), 0) as more_charges,
            coalesce(sum(greatest(shipments - 1, 0)), 0) as more_shipments,
            coalesce(sum(greatest(refunds - 1, 0)), 0) as more_refunds,
            coalesce(sum(greatest(received - 1, 0) + greatest(outcome - 1, 0)), 0) as more_mails,
            coalesce(sum(greatest(accepted - 1, 0) + greatest(completed + cancelled - 1, 0)), 0) as more_steps,
            coalesce(sum(charges) filter (where accepted > 0), 0) as charges,
            coalesce(sum(refunds) filter (where accepted > 0), 0) as refunds,
            coalesce(sum(shipments) filter (where accepted > 0), 0) as shipments,
            coalesce(sum(returns) filter (where accepted > 0), 0) as returns,
            coalesce(sum(reservations) filter (where accepted > 0), 0) as reservations,
            coalesce(sum(releases) filter (where accepted > 0), 0) as releases,
            count(*) filter (where accepted > 0 and timeouts > 0) as timeouts,
            count(*) filter (where accepted > 0 and cancelled > 0 and refunds + releases + returns > 0) as compensated,
            count(*) filter (where accepted > 0 and (charges - refunds <> least(completed, 1)
                or shipments - returns <> least(completed, 1)
                or reservations - releases <> least(completed, 1))) as unbalanced
        from (
            select
                count(*) filter (where effect = 'ACCEPTED') as accepted,
                count(*) filter (where effect = 'COMPLETED') as completed,
                count(*) filter (where effect = 'CANCELLED') as cancelled,
                count(*) filter (where effect = 'CHARGE') as charges,
                count(*) filter (where effect = 'SHIPMENT') as shipments,
                count(*) filter (where effect = 'REFUND') as refunds,
                count(*) filter (where effect = 'MAIL_RECEIVED') as received,
                count(*) filter (where effect = 'MAIL_OUTCOME') as outcome,
                count(*) filter (where effect = 'RETURN') as returns,
                count(*) filter (where effect = 'RESERVATION') as reservations,
                count(*) filter (where effect = 'RELEASE') as releases,
                count(*) filter (where effect = 'TIMEOUT') as timeouts
            from ledger where order_id like ? and id > ? group by order_id
        ) each_order
        """;

    private final JdbcClient jdbc;
    private final String orders;
    private final long lastRow;

    /** @param prefix counts only orders whose ids begin with it; empty for all since the storage was opened */
    Accounts(Storage storage, String prefix) {
        this.jdbc = storage.client();
        this.lastRow = storage.lastRow();
        this.orders = prefix + "%";
    }

    Tally tally() {
        return jdbc.sql(TALLY).params(orders, lastRow).query(Accounts::read).single();
    }

    /** Repeated calls that a remote ledger recognised by their key; 0 for a local ledger. */
    long repeatedCalls() {
        return jdbc.sql("select coalesce(sum(repeats), 0) from idempotency_key where order_id like ?")
                .param(orders)
                .query(Long.class)
                .single();
    }

    private static Tally read(ResultSet row, int number) throws SQLException {
        return new Tally(
                row.getLong("orders"),
                row.getLong("ended_well"),
                row.getLong("ended_otherwise"),
                row.getLong("mails"),
                new Tally.Surplus(
                        row.getLong("more_charges"),
                        row.getLong("more_shipments"),
                        row.getLong("more_refunds"),
                        row.getLong("more_mails"),
                        row.getLong("more_steps")),
                new Tally.Books(
                        row.getLong("charges"),
                        row.getLong("refunds"),
                        row.getLong("shipments"),
                        row.getLong("returns"),
                        row.getLong("reservations"),
                        row.getLong("releases"),
                        row.getLong("timeouts"),
                        row.getLong("compensated"),
                        row.getLong("unbalanced")));
    }
}
