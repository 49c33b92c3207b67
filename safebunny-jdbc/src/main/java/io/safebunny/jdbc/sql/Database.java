// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Names;
import io.safebunny.store.StoreUnavailableException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * The properties of the database product that statements depend on.
 *
 * @param skipsLocked whether a query can skip rows that others have locked
 */
public record Database(Dialect dialect, boolean skipsLocked) {

    /**
     * Queries the database; opens one connection.
     *
     * @throws ConfigurationException SB-1401 when it is not supported, SB-1416 when the {@code DataSource} chooses among several, SB-1117
     *     when it wraps one that binds connections to transactions
     * @throws StoreUnavailableException when there is no connection
     */
    public static Database of(DataSource dataSource) {
        Routing.requireNone(dataSource);
        try (Connection connection = dataSource.getConnection()) {
            Routing.requireNone(dataSource); // again: on the first connection, Hikari creates the DataSource it wraps
            return of(connection.getMetaData());
        } catch (SQLException e) {
            throw new Failures("the database").translate("The database's product and version could not be read", e);
        }
    }

    static Database of(DatabaseMetaData metadata) throws SQLException {
        return of(
                metadata.getDatabaseProductName(),
                metadata.getDatabaseProductVersion(),
                metadata.getDatabaseMajorVersion(),
                metadata.getDatabaseMinorVersion());
    }

    static Database of(String product, String version, int major, int minor) {
        // MySQL's driver reports MariaDB as MySQL too
        if (product.equals("MariaDB") || version.toLowerCase(Locale.ROOT).contains("mariadb")) {
            return new Database(Dialect.MARIADB, major > 10 || (major == 10 && minor >= 6));
        }
        return switch (product) {
            case "PostgreSQL" -> new Database(Dialect.POSTGRESQL, true);
            case "MySQL" -> new Database(Dialect.MYSQL, major >= 8);
            case "H2" -> new Database(Dialect.H2, true);
            default ->
                throw new ConfigurationException(
                        "SB-1401",
                        "Unsupported database [product=%s]: the message store and the outbox support PostgreSQL, MySQL, MariaDB and H2."
                                .formatted(Names.printable(product)),
                        "Use one of these for the DataSource, or set safebunny.store.type=none, or define a MessageStore bean of your own, and set safebunny.outbox.enabled=false.");
        };
    }
}
