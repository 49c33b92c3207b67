// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.accounts;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads from the ledger what happened to each order, and counts the orders by how they ended. */
public final class Accounts {

    /** An order without acceptance was accepted by an earlier run: a broker may still hold messages about it. */
    private static final String TALLY = """
        select
            count(case when accepted > 0 then 1 end) as orders,
            count(case when accepted > 0 and completed > 0 then 1 end) as ended_well,
            count(case when accepted > 0 and completed = 0 and cancelled > 0 then 1 end) as ended_otherwise,
            count(case when accepted > 0 and received > 0 then 1 end)
                + count(case when accepted > 0 and outcome > 0 then 1 end) as mails,
            count(case when accepted > 0 and first_outcome < first_received then 1 end) as disordered_mails,
            coalesce(sum(greatest(charges - 1, 0)), 0) as more_charges,
            coalesce(sum(greatest(shipments - 1, 0)), 0) as more_shipments,
            coalesce(sum(greatest(refunds - 1, 0)), 0) as more_refunds,
            coalesce(sum(greatest(received - 1, 0) + greatest(outcome - 1, 0)), 0) as more_mails,
            coalesce(sum(greatest(accepted - 1, 0) + greatest(completed + cancelled - 1, 0)), 0) as more_steps,
            coalesce(sum(case when accepted > 0 then charges end), 0) as charges,
            coalesce(sum(case when accepted > 0 then refunds end), 0) as refunds,
            coalesce(sum(case when accepted > 0 then shipments end), 0) as shipments,
            coalesce(sum(case when accepted > 0 then returns end), 0) as returns,
            coalesce(sum(case when accepted > 0 then reservations end), 0) as reservations,
            coalesce(sum(case when accepted > 0 then releases end), 0) as releases,
            count(case when accepted > 0 and timeouts > 0 then 1 end) as timeouts,
            count(case when accepted > 0 and cancelled > 0 and refunds + releases + returns > 0 then 1 end) as compensated,
            count(case when accepted > 0 and (charges - refunds <> least(completed, 1)
                or shipments - returns <> least(completed, 1)
                or reservations - releases <> least(completed, 1)) then 1 end) as unbalanced
        from (
            select
                count(case when effect = 'ACCEPTED' then 1 end) as accepted,
                count(case when effect = 'COMPLETED' then 1 end) as completed,
                count(case when effect = 'CANCELLED' then 1 end) as cancelled,
                count(case when effect = 'CHARGE' then 1 end) as charges,
                count(case when effect = 'SHIPMENT' then 1 end) as shipments,
                count(case when effect = 'REFUND' then 1 end) as refunds,
                count(case when effect = 'MAIL_RECEIVED' then 1 end) as received,
                count(case when effect = 'MAIL_OUTCOME' then 1 end) as outcome,
                min(case when effect = 'MAIL_RECEIVED' then id end) as first_received,
                min(case when effect = 'MAIL_OUTCOME' then id end) as first_outcome,
                count(case when effect = 'RETURN' then 1 end) as returns,
                count(case when effect = 'RESERVATION' then 1 end) as reservations,
                count(case when effect = 'RELEASE' then 1 end) as releases,
                count(case when effect = 'TIMEOUT' then 1 end) as timeouts
            from ledger where order_id like ? and id > ? group by order_id
        ) each_order
        """;

    private final JdbcClient jdbc;
    private final String orders;
    private final long lastRow;

    /** @param prefix counts only orders whose ids begin with it; empty for all since the storage was opened */
    public Accounts(Storage storage, String prefix) {
        this.jdbc = storage.client();
        this.lastRow = storage.lastRow();
        this.orders = prefix + "%";
    }

    public Tally tally() {
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
                row.getLong("disordered_mails"),
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
