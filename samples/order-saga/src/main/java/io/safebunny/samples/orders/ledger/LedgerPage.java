// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.ledger;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows over HTTP what the ledger holds, of all nodes that share it. */
@RestController
class LedgerPage {

    private final JdbcClient jdbc;

    LedgerPage(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** What one effect is there of: more rows than orders, and it happened twice to one of them. */
    record Sum(long rows, long orders) {}

    /** By effect; those that never happened are left out. */
    @GetMapping("/ledger")
    Map<String, Sum> sums() {
        Map<String, Sum> sums = new TreeMap<>();
        jdbc.sql("select effect, count(*), count(distinct order_id) from ledger group by effect")
                .query(row -> {
                    sums.put(row.getString(1), new Sum(row.getLong(2), row.getLong(3)));
                });
        return sums;
    }
}
