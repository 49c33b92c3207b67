// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** Work on a connection; must neither close the connection nor end its transaction. */
@FunctionalInterface
public interface SqlWork<T> {

    T on(Connection connection) throws SQLException;
}
