// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.SQLException;
import java.util.function.Predicate;

/** Where an operation finds its connection, and who ends its transaction. Thread-safe. */
public interface Connections {

    /** Does one statement. */
    <T> T once(SqlWork<T> work) throws SQLException;

    /** Does several statements, all or none. */
    <T> T together(SqlWork<T> work) throws SQLException;

    /**
     * The same, and none either when the result is not as it should be. In the transaction of somebody else what was done stays until its
     * end, and must not be committed then.
     */
    default <T> T together(SqlWork<T> work, Predicate<T> isComplete) throws SQLException {
        return together(work);
    }
}
