// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store.rows;

import io.safebunny.jdbc.sql.Dialect;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.record.Trail;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Checks large records against the largest statement MySQL and MariaDB accept. On a larger one they close the connection, often
 * before the driver has read why, which looks like an outage. So the limit is queried first, on the connection that is about to
 * write.
 */
final class PacketLimit {

    /** What a statement has besides its JSON: generous, as giving way costs nothing. */
    private static final long STATEMENT = 4 * 1024;

    /** Smaller records are written without the query. */
    private static final long SMALL = 64 * 1024;

    private static final String DATA_EXCEPTION = "22001";

    private PacketLimit() {}

    /**
     * @throws SQLException a data exception when its JSON parts alone exceed the limit
     * @throws RecordTooLargeException if it may fit without its trail
     */
    static void require(Dialect dialect, Connection connection, Write write) throws SQLException {
        if (dialect != Dialect.MYSQL && dialect != Dialect.MARIADB) {
            return;
        }
        long bytes = write.bytes();
        if (bytes <= SMALL) {
            return;
        }
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery("select @@max_allowed_packet")) {
            if (!answer.next()) {
                return;
            }
            long limit = answer.getLong(1);
            boolean givesWay = !write.record().trail().equals(Trail.NONE);
            if (givesWay && write.quotedBytes() + STATEMENT > limit) {
                throw new RecordTooLargeException(write.record().key(), bytes, limit);
            }
            if (bytes > limit) {
                throw new SQLDataException(
                        "The record exceeds the largest statement that the server accepts [bytes=%s, max_allowed_packet=%s]. Set a larger max_allowed_packet"
                                .formatted(bytes, limit),
                        DATA_EXCEPTION);
            }
        }
    }
}
