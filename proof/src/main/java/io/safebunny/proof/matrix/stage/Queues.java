// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix.stage;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Inspects queues from outside. Not thread-safe. */
public final class Queues implements AutoCloseable {

    private final Connection connection;

    public Queues(String broker) {
        try {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(broker);
            connection = factory.newConnection("crash-queues");
        } catch (IOException | TimeoutException | URISyntaxException | GeneralSecurityException e) {
            throw new IllegalStateException("No connection to the broker. Check its address, and that it runs.", e);
        }
    }

    /** Number of ready messages; 0 if the queue does not exist. */
    public int messages(String queue) {
        try (Channel channel = connection.createChannel()) {
            return channel.queueDeclarePassive(queue).getMessageCount();
        } catch (IOException missing) {
            return 0;
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Binds a new queue of this connection to the exchange, to see what is routed by the key, in order.
     *
     * @return the queue's name
     */
    String tap(String exchange, String key) {
        try (Channel channel = connection.createChannel()) {
            String queue = channel.queueDeclare().getQueue();
            channel.queueBind(queue, exchange, key);
            return queue;
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(
                    "Cannot bind to exchange %s. Check that the broker runs and has it.".formatted(exchange), e);
        }
    }

    /** Removes and returns all messages. */
    List<GetResponse> drain(String queue) {
        List<GetResponse> messages = new ArrayList<>();
        try (Channel channel = connection.createChannel()) {
            for (GetResponse next = channel.basicGet(queue, true); next != null; next = channel.basicGet(queue, true)) {
                messages.add(next);
            }
            return messages;
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(
                    "Cannot read queue %s. Check that the broker runs and has it.".formatted(queue), e);
        }
    }

    void purge(String queue) {
        try (Channel channel = connection.createChannel()) {
            channel.queuePurge(queue);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException(
                    "Cannot purge queue %s. Check that the broker runs and has it.".formatted(queue), e);
        }
    }

    public void delete(String queue) {
        try (Channel channel = connection.createChannel()) {
            channel.queueDelete(queue);
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("Cannot delete queue %s. Check that the broker runs.".formatted(queue), e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
