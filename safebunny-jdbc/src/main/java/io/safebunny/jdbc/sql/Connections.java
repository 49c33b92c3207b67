// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.SQLException;

/** Where an operation finds its connection, and who ends its transaction. Thread-safe. */
public interface Connections {

    /** Does one statement. */
    <T> T once(SqlWork<T> work) throws SQLException;

    /** Does several statements, all or none. */
    <T> T together(SqlWork<T> work) throws SQLException;
}
