// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.store.StoreUnavailableException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** What PostgreSQL's driver knows about the transaction of a connection. It learns it with every answer, so asking costs no round trip. */
public enum TransactionState {
    /** None has begun since the last one ended. */
    IDLE,
    /** It can be committed, unless the database has ended the session since its last answer. */
    OPEN,
    /** A statement has failed: a commit will roll back, and the driver may not report that. */
    FAILED,
    /** It is another driver. */
    UNKNOWN;

    private static final @Nullable Method ASKED = find();

    /** The driver is the application's, and need not be there. */
    private static @Nullable Method find() {
        try {
            return ClassUtils.forName("org.postgresql.core.BaseConnection", TransactionState.class.getClassLoader())
                    .getMethod("getTransactionState");
        } catch (ClassNotFoundException | NoSuchMethodException | LinkageError absent) {
            return null;
        }
    }

    public static TransactionState of(Connection connection) throws SQLException {
        if (ASKED == null || !connection.isWrapperFor(ASKED.getDeclaringClass())) {
            return UNKNOWN;
        }
        Object driver = connection.unwrap(ASKED.getDeclaringClass());
        try {
            return valueOf(String.valueOf(ASKED.invoke(driver)));
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return UNKNOWN;
        }
    }

    /**
     * Whether it is known of connections of this {@code DataSource}; opens one.
     *
     * @throws StoreUnavailableException when there is no connection
     */
    public static boolean isKnown(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return of(connection) != UNKNOWN;
        } catch (SQLException e) {
            throw new Failures("the database").translate("The driver could not be recognised", e);
        }
    }
}
