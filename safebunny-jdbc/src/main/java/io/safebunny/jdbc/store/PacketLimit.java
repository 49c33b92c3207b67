// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import io.safebunny.jdbc.sql.Dialect;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What MySQL and MariaDB take in one statement. Over a larger one they end the connection, often before the driver has read why, and
 * then it looks like an outage. So they are asked first, on the connection that is about to write.
 */
final class PacketLimit {

    /** Smaller records are written without the question. */
    private static final long SMALL = 64 * 1024;

    private static final String DATA_EXCEPTION = "22001";

    private PacketLimit() {}

    /** @throws SQLException a data exception when the content does not fit, whatever else the statement holds */
    static void require(Dialect dialect, Connection connection, Content content) throws SQLException {
        if (dialect != Dialect.MYSQL && dialect != Dialect.MARIADB) {
            return;
        }
        long bytes = content.bytes();
        if (bytes <= SMALL) {
            return;
        }
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery("select @@max_allowed_packet")) {
            if (answer.next() && bytes > answer.getLong(1)) {
                throw new SQLDataException(
                        "Record larger than a statement may be [bytes=%d, max_allowed_packet=%d]"
                                .formatted(bytes, answer.getLong(1)),
                        DATA_EXCEPTION);
            }
        }
    }
}
