// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A data source in which the outbox's statements are points, and which can be down for all other statements too. Thread-safe. */
public final class PointedDataSource extends DelegatingDataSource {

    private final DatabaseFaults faults;

    public PointedDataSource(DataSource dataSource, Faults faults) {
        super(dataSource);
        this.faults = new DatabaseFaults(faults);
    }

    @Override
    public Connection getConnection() throws SQLException {
        faults.asked();
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                PointedDataSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new PointedConnection(connection, faults));
    }
}
