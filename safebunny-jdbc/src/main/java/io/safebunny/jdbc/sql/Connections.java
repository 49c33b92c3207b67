// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.SQLException;
import java.util.function.Predicate;

/** Decides which connection an operation runs on and who ends its transaction. Thread-safe. */
public interface Connections {

    /** Runs a single statement. */
    <T> T once(SqlWork<T> work) throws SQLException;

    /** Runs several statements, all or none of which take effect. */
    <T> T together(SqlWork<T> work) throws SQLException;

    /**
     * Like {@link #together(SqlWork)}, but also rolls back if the result is incomplete. In a transaction begun elsewhere nothing is rolled
     * back here; its owner must then not commit it.
     */
    default <T> T together(SqlWork<T> work, Predicate<T> isComplete) throws SQLException {
        return together(work);
    }
}
