// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Recognises which operation of the outbox each statement is. As thread-safe as the connection. */
final class PointedConnection implements InvocationHandler {

    private static final String TABLE = "safebunny_outbox";

    private final Connection connection;
    private final DatabaseFaults faults;
    /** The operation of the open transaction, as far as its last distinctive statement reveals it. */
    private @Nullable Operation begun;

    PointedConnection(Connection connection, DatabaseFaults faults) {
        this.connection = connection;
        this.faults = faults;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return switch (method.getName()) {
            case "prepareStatement" -> pointed(called(connection, method, arguments), String.valueOf(first(arguments)));
            case "commit" -> {
                commit();
                yield null;
            }
            case "rollback", "close" -> {
                begun = null;
                yield called(connection, method, arguments);
            }
            default -> called(connection, method, arguments);
        };
    }

    private static @Nullable Object first(@Nullable Object @Nullable [] arguments) {
        return arguments == null ? null : arguments[0];
    }

    private static @Nullable Object called(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private Object pointed(@Nullable Object prepared, String sql) {
        Object statement = Objects.requireNonNull(prepared, "a driver returns a statement");
        return Proxy.newProxyInstance(
                PointedConnection.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> method.getName().startsWith("execute")
                        ? execute(sql, () -> called(statement, method, arguments))
                        : called(statement, method, arguments));
    }

    @FunctionalInterface
    private interface Execution {
        @Nullable
        Object run() throws Throwable;
    }

    private @Nullable Object execute(String sql, Execution execution) throws Throwable {
        Operation operation = sql.contains(TABLE) ? operation(sql) : null;
        if (operation == null) {
            faults.asked();
            return execution.run();
        }
        faults.before(operation);
        Object result = execution.run();
        begun = operation;
        if (operation != Operation.RELAY_CLAIM) { // that one takes effect only with the commit
            faults.after(operation);
        }
        return result;
    }

    private @Nullable Operation operation(String sql) {
        if (sql.startsWith("insert")) {
            return Operation.STORE_PUBLICATION;
        }
        if (sql.startsWith("delete")) {
            return Operation.DELETE_PUBLICATIONS;
        }
        if (sql.contains(" for update")) {
            return Operation.RELAY_LOOK;
        }
        boolean relays = begun == Operation.RELAY_LOOK;
        if (sql.startsWith("update")) {
            return relays ? Operation.RELAY_CLAIM : null;
        }
        return sql.startsWith("select correlation_id") && !relays ? Operation.LOOK_BEFORE_SENDING : null;
    }

    /** A failed commit rolls back, as a database does whose connection ends. */
    private void commit() throws SQLException {
        Operation ended = begun;
        begun = null;
        try {
            if (ended == Operation.STORE_PUBLICATION) {
                faults.before(Operation.COMMIT_PUBLICATIONS);
            } else {
                faults.asked();
            }
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        }
        connection.commit();
        if (ended == Operation.STORE_PUBLICATION) {
            faults.after(Operation.COMMIT_PUBLICATIONS);
        } else if (ended == Operation.RELAY_CLAIM) {
            faults.after(Operation.RELAY_CLAIM);
        }
    }
}
