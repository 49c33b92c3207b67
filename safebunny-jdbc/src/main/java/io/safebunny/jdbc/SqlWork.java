// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Something to be done on a connection, whose end is another's business. */
@FunctionalInterface
interface SqlWork<T extends @Nullable Object> {

    T on(Connection connection) throws SQLException;
}
