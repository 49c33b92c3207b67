// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The table that handlers write to in the same transaction as their publications: one row per order, if exactly-once means what
 * it says. Thread-safe.
 */
public final class WorkTable {

    static final String DEFINITION =
            "create table crash_work (order_id varchar(100) not null, run varchar(100) not null)";

    private final JdbcTemplate jdbc;

    public WorkTable(DataSource dataSource) {
        this.jdbc = new JdbcTemplate(dataSource);
    }

    public void add(String order, String run) {
        jdbc.update("insert into crash_work (order_id, run) values (?, ?)", order, run);
    }

    /** The committed runs. */
    public List<String> runs(String order) {
        return jdbc.queryForList("select run from crash_work where order_id = ?", String.class, order);
    }

    /** Number of the committed runs of orders that begin with these characters. */
    public int count(String orders) {
        Integer count = jdbc.queryForObject(
                "select count(*) from crash_work where order_id like ?", Integer.class, orders + '%');
        return count == null ? 0 : count;
    }

    /** All committed runs, by order. */
    public Map<String, List<String>> all() {
        Map<String, List<String>> runs = new HashMap<>();
        jdbc.query("select order_id, run from crash_work", row -> {
            runs.computeIfAbsent(row.getString("order_id"), order -> new ArrayList<>())
                    .add(row.getString("run"));
        });
        return runs;
    }
}
