// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Manages the queues of a broker, through its own connection that is opened on demand. Thread-safe. */
final class BrokerDesk implements QueueCopies.Look, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerDesk.class);

    /** Queue for messages that no node of the test consumes. */
    static final String UNHEARD = "safebunny-test-unheard";

    private final ConnectionFactory factory;
    private final String prefix;

    // guarded by this
    private @Nullable Connection connection;
    private @Nullable Channel channel;

    /** @param prefix prefix of the queues on the broker; names passed to this class do not include it */
    BrokerDesk(ConnectionFactory factory, String prefix) {
        this.factory = factory;
        this.prefix = prefix;
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
                present = factory.newConnection("safebunny-test:desk");
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
                AMQP.Queue.DeclareOk answer = asked.queueDeclarePassive(prefix + queue);
                return answer.getConsumerCount() == 0 && answer.getMessageCount() >= copies;
            });
        } catch (IOException | ShutdownSignalException e) {
            return false; // asked again the next time
        }
    }

    /** Makes the broker accept publications that nobody consumes. */
    void bindUnheard(String exchange, String routingKey) {
        try {
            AMQP.Queue.BindOk unused = ask(asked -> {
                asked.queueDeclare(prefix + UNHEARD, true, false, false, Map.of());
                return asked.queueBind(prefix + UNHEARD, exchange, routingKey);
            });
        } catch (IOException | ShutdownSignalException e) {
            throw lost("accept messages that nobody handles", e);
        }
    }

    /** Removes all messages from these queues. */
    void purge(List<String> queues) {
        try {
            boolean unused = ask(asked -> {
                for (String queue : queues) {
                    asked.queuePurge(prefix + queue);
                }
                return true;
            });
        } catch (IOException | ShutdownSignalException e) {
            throw lost("purge queues", e);
        }
    }

    /** Deletes those of the queues and exchanges that exist. */
    void delete(List<String> queues, List<String> exchanges) {
        try {
            boolean unused = ask(asked -> {
                asked.queueDelete(prefix + UNHEARD);
                for (String queue : queues) {
                    asked.queueDelete(prefix + queue);
                }
                for (String exchange : exchanges) {
                    asked.exchangeDelete(exchange);
                }
                return true;
            });
        } catch (IOException | ShutdownSignalException e) {
            LOG.warn("Queues and exchanges {}* are left on the test's broker", prefix, e);
        }
    }

    private IllegalStateException lost(String purpose, Exception cause) {
        return new IllegalStateException(
                "The test's broker did not %s [host=%s, port=%s]. Check its log and whether it is still running."
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
