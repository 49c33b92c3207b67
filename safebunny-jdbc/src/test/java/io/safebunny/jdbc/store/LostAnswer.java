// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A data source whose next batch of updates is executed although its answer is lost. Thread-safe. */
final class LostAnswer {

    private final AtomicBoolean armed = new AtomicBoolean();
    private final DataSource dataSource;

    LostAnswer(DataSource target) {
        dataSource = proxy(DataSource.class, target);
    }

    DataSource dataSource() {
        return dataSource;
    }

    void next() {
        armed.set(true);
    }

    private <T> T proxy(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                LostAnswer.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> answer(target, method, arguments)));
    }

    private Object answer(Object target, Method method, Object[] arguments) throws Throwable {
        Object result;
        try {
            result = method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (method.getName().equals("executeBatch") && armed.compareAndSet(true, false)) {
            throw new SQLException("the connection broke (simulated)", "08006");
        }
        if (result instanceof Connection connection) {
            return proxy(Connection.class, connection);
        }
        return result instanceof PreparedStatement statement ? proxy(PreparedStatement.class, statement) : result;
    }
}
