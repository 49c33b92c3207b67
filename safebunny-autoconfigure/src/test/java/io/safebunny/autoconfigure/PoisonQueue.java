// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** The poison queue of a node that has been started, seen by a plain client. */
final class PoisonQueue implements AutoCloseable {

    private final Connection connection;
    private final Channel channel;
    private final String queue;

    PoisonQueue(ConnectionFactory factory, String queue) throws Exception {
        this.connection = factory.newConnection("poison-reader");
        this.channel = connection.createChannel();
        this.queue = queue;
    }

    /** Takes one out; waits for ten seconds. */
    GetResponse next() {
        return Objects.requireNonNull(Awaitility.await("a message in " + queue).until(this::poll, Objects::nonNull));
    }

    private @Nullable GetResponse poll() throws IOException {
        return channel.basicGet(queue, true);
    }

    long waiting() throws IOException {
        return channel.messageCount(queue);
    }

    static String header(GetResponse message, String name) {
        return String.valueOf(message.getProps().getHeaders().get(name));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
