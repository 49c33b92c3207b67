// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.lanes;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** Effects in PostgreSQL, MySQL or MariaDB, written in the transactions in which the messages are handled. Nothing keeps two of one key apart. Thread-safe. */
final class EffectTable implements Effects {

    private final JdbcTemplate jdbc;

    EffectTable(DataSource database) {
        this.jdbc = new JdbcTemplate(database);
    }

    /** Makes the empty table. */
    EffectTable create() {
        jdbc.execute("drop table if exists lane_effects");
        jdbc.execute(
                "create table lane_effects (id %s primary key, process varchar(100) not null, order_key varchar(100) not null, number int not null, preceding int not null)"
                        .formatted(isPostgres() ? "bigserial" : "bigint auto_increment"));
        jdbc.execute("create index lane_effects_by_key on lane_effects (order_key, id)");
        return this;
    }

    private boolean isPostgres() {
        return "PostgreSQL".equals(jdbc.execute((ConnectionCallback<String>)
                connection -> connection.getMetaData().getDatabaseProductName()));
    }

    /** Number of the last committed effect of the key; -1 if there is none. */
    int last(String key) {
        List<Integer> last = jdbc.queryForList(
                "select number from lane_effects where order_key = ? order by id desc limit 1", Integer.class, key);
        return last.isEmpty() ? -1 : last.get(0);
    }

    void add(String process, Step step, int preceding) {
        jdbc.update(
                "insert into lane_effects (process, order_key, number, preceding) values (?, ?, ?, ?)",
                process,
                step.key(),
                step.number(),
                preceding);
    }

    @Override
    public List<Effect> all() {
        return jdbc.query(
                "select process, order_key, number, preceding from lane_effects order by id",
                (row, index) -> new Effect(row.getString(1), row.getString(2), row.getInt(3), row.getInt(4)));
    }

    @Override
    public int messages() {
        Integer count = jdbc.queryForObject(
                "select count(*) from (select distinct order_key, number from lane_effects) messages", Integer.class);
        return count == null ? 0 : count;
    }

    @Override
    public String latest() {
        List<String> latest =
                jdbc.queryForList("select process from lane_effects order by id desc limit 1", String.class);
        return latest.isEmpty() ? "" : latest.get(0);
    }
}
