// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Something to be done on a connection, whose end is another's business. */
@FunctionalInterface
public interface SqlWork<T> {

    T on(Connection connection) throws SQLException;
}
