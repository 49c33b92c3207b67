// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.OutboxTable;
import io.safebunny.jdbc.sql.Connections;
import io.safebunny.time.Timeline;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/**
 * What the parts of one outbox share. Thread-safe.
 *
 * @param connections separate from those of the application's transactions
 * @param blocking runs tasks that wait for the database or the broker
 */
record OutboxContext(
        JdbcOutboxOptions options,
        Connections connections,
        OutboxTable table,
        Timeline timeline,
        Executor blocking,
        OutboxMetrics metrics,
        OutboxLog log) {

    /** The ids that the table holds for the correlations of these rows, by correlation, up to the largest id among the rows. */
    Map<String, NavigableSet<Long>> present(List<OutboxRow> rows) throws SQLException {
        long largest = rows.stream().mapToLong(OutboxRow::id).max().orElseThrow();
        return connections.once(connection -> table.present(
                connection, rows.stream().map(OutboxRow::correlationId).collect(Collectors.toSet()), largest));
    }
}
