// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.sql;

import io.safebunny.store.StoreUnavailableException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * What PostgreSQL's driver knows about the transaction of a connection. Every response of the database reports it, so reading it costs no
 * round trip.
 */
public enum TransactionState {
    /** No transaction has begun since the last one ended. */
    IDLE,
    /** The transaction can be committed, unless the database has ended the session since its last answer. */
    OPEN,
    /** A statement has failed: a commit will roll back, and the driver may not report that. */
    FAILED,
    /** Not known: another driver is used. */
    UNKNOWN;

    private static final @Nullable Method ASKED = find();

    /** Looked up by reflection, because PostgreSQL's driver need not be on the class path. */
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
     * Whether the state is known for connections of this {@code DataSource}; opens one to find out.
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
