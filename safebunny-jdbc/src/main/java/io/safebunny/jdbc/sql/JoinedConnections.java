// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Runs on the connection of the transaction open on this thread. The transaction's owner ends it. */
public record JoinedConnections(DataSource dataSource) implements Connections {

    @Override
    public <T> T once(SqlWork<T> work) throws SQLException {
        Connection connection = DataSourceUtils.doGetConnection(dataSource);
        try {
            return work.on(connection);
        } finally {
            DataSourceUtils.doReleaseConnection(connection, dataSource);
        }
    }

    @Override
    public <T> T together(SqlWork<T> work) throws SQLException {
        return once(work);
    }
}
