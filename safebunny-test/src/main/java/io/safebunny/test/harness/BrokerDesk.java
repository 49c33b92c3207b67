// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Looks after the queues of a broker, through a connection of its own that is opened when it is needed. Thread-safe. */
final class BrokerDesk implements QueueCopies.Look, AutoCloseable {

    /** Queue for what nobody in the test consumes. */
    static final String UNHEARD = "safebunny-test-unheard";

    private final CachingConnectionFactory factory;

    // guarded by this
    private @Nullable Connection connection;
    private @Nullable Channel channel;

    BrokerDesk(CachingConnectionFactory factory) {
        this.factory = factory;
    }

    @FunctionalInterface
    private interface Question<T> {
        T ask(Channel channel) throws IOException;
    }

    private synchronized <T> T ask(Question<T> question) throws IOException {
        Channel open = channel;
        if (open == null || !open.isOpen()) {
            open = open();
            channel = open;
        }
        return question.ask(open);
    }

    private Channel open() throws IOException {
        Connection present = connection;
        if (present == null || !present.isOpen()) {
            try {
                present = factory.getRabbitConnectionFactory().newConnection("safebunny-test:desk");
            } catch (TimeoutException e) {
                throw new IOException("no answer in time", e);
            }
            connection = present;
        }
        return present.createChannel();
    }

    @Override
    public boolean isAtRest(String queue, int copies) {
        try {
            return ask(asked -> {
                AMQP.Queue.DeclareOk answer = asked.queueDeclarePassive(queue);
                return answer.getConsumerCount() == 0 && answer.getMessageCount() >= copies;
            });
        } catch (IOException e) {
            return false; // perhaps the next time
        }
    }

    /** Nobody consumes what is published there, but it is accepted. */
    void bindUnheard(String exchange, String routingKey) {
        try {
            AMQP.Queue.BindOk unused = ask(asked -> {
                asked.queueDeclare(UNHEARD, true, false, false, Map.of());
                return asked.queueBind(UNHEARD, exchange, routingKey);
            });
        } catch (IOException e) {
            throw lost("accept messages that nobody handles", e);
        }
    }

    /** What is in these queues is gone. */
    void purge(List<String> queues) {
        try {
            boolean unused = ask(asked -> {
                for (String queue : queues) {
                    asked.queuePurge(queue);
                }
                return true;
            });
        } catch (IOException e) {
            throw lost("purge queues", e);
        }
    }

    private UncheckedIOException lost(String purpose, IOException cause) {
        return new UncheckedIOException(
                "The test's broker did not %s [host=%s, port=%d]. See its log, and whether it still runs."
                        .formatted(purpose, factory.getHost(), factory.getPort()),
                cause);
    }

    @Override
    public synchronized void close() {
        Connection present = connection;
        if (present != null) {
            present.abort();
        }
    }
}
