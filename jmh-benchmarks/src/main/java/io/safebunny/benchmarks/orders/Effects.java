// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the steps of a saga do: a row for each of them, marked when it is undone. Thread-safe. */
final class Effects {

    private static final String INSERT = "insert into effect (order_name, step) values (?, ?)";

    private static final String UNDO = "update effect set undone = true where order_name = ? and step = ?";

    private final JdbcTemplate sql;

    /** @param dataSource its connections are those of the thread's transaction, if there is one */
    Effects(DataSource dataSource) {
        sql = new JdbcTemplate(dataSource);
    }

    static void createTable(JdbcTemplate sql) {
        sql.execute(
                "create table effect (order_name text not null, step int not null, undone boolean not null default false, primary key (order_name, step))");
    }

    /** Does a step; for those who call it exactly once, so a second time fails. */
    void perform(String order, int step) {
        require(sql.update(INSERT, order, step) == 1, order, step);
    }

    /** As {@link #perform}, in the transaction of that connection. */
    static void perform(Connection connection, String order, int step) throws SQLException {
        require(update(connection, INSERT, order, step) == 1, order, step);
    }

    /** Does a step in a transaction of its own; for those who may call it again, which then changes nothing. */
    void performAgain(String order, int step) {
        sql.update(INSERT + " on conflict do nothing", order, step);
    }

    /** Undoes a step; a repetition changes nothing. */
    void undo(String order, int step) {
        require(sql.update(UNDO, order, step) == 1, order, step);
    }

    /** As {@link #undo}, in the transaction of that connection. */
    static void undo(Connection connection, String order, int step) throws SQLException {
        require(update(connection, UNDO, order, step) == 1, order, step);
    }

    private static int update(Connection connection, String text, String order, int step) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            statement.setString(1, order);
            statement.setInt(2, step);
            return statement.executeUpdate();
        }
    }

    private static void require(boolean done, String order, int step) {
        if (!done) {
            throw new IllegalStateException("A step changed no row [order=%s, step=%s]".formatted(order, step));
        }
    }
}
