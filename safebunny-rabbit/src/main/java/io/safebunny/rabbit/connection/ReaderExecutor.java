// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/**
 * Makes the client call its consumers on the thread that reads from the connection. By default, the client wakes another thread for each
 * delivery, and all that this thread would do is wake a worker. Consumers must not wait for the broker: nobody would read its response.
 * Thread-safe.
 */
public final class ReaderExecutor extends AbstractExecutorService {

    private ReaderExecutor() {}

    /** Takes effect with the next connection. Has no effect on a factory that is not one of Spring AMQP's own. */
    public static void install(ConnectionFactory factory) {
        if (factory instanceof AbstractConnectionFactory spring) {
            spring.setExecutor(new ReaderExecutor());
        }
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    /** Does nothing: it has no threads, and a factory may connect again after it was closed. */
    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
