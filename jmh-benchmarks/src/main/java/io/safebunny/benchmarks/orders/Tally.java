// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The effects in the database.
 *
 * @param done rows of orders that were not refused, not undone
 * @param undone rows of orders that were refused, undone
 * @param wrong any other row
 */
record Tally(long done, long undone, long wrong) {

    static Tally of(JdbcTemplate sql) {
        return Objects.requireNonNull(sql.queryForObject(
                "select count(*) filter (where not refused and not undone), count(*) filter (where refused and undone), count(*) filter (where refused <> undone) from (select undone, order_name like 'refused-%' as refused from effect) as effects",
                (row, number) -> new Tally(row.getLong(1), row.getLong(2), row.getLong(3))));
    }

    /** What it must be when these orders have come to their end: the steps before the refused one are undone. */
    static Tally expected(int orders, int refused) {
        return new Tally((long) (orders - refused) * Order.STEPS, (long) refused * (Order.STEPS - 1), 0);
    }
}
