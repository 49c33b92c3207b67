// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.Frame;
import io.safebunny.test.broker.TestBroker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.Assertions;

/** Publishes messages whose properties it writes byte by byte, as no client library would. */
final class HostileClient implements AutoCloseable {

    private static final int BASIC = 60;
    private static final int PUBLISH = 40;

    /** Headers, delivery mode, correlation id, message id, type. */
    private static final int FLAGS = 1 << 13 | 1 << 12 | 1 << 10 | 1 << 7 | 1 << 5;

    private final AMQConnection connection;
    private final Channel channel;

    HostileClient(TestBroker broker) {
        try {
            Connection opened = new Onlooker(broker).client().newConnection("hostile");
            connection = (AMQConnection) opened;
            channel = opened.createChannel();
            channel.confirmSelect();
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("The test broker does not answer", e);
        }
    }

    /** What a frame may hold, without what is around it. */
    int largestPayload() {
        return connection.getFrameMax() - 8;
    }

    /** A header {@code nested} of arrays, or of tables, in each other. */
    static byte[] nested(char kind, int depth) {
        int level = kind == 'A' ? 5 : 6; // a table also has a name, which is empty
        ByteBuffer value = ByteBuffer.allocate(depth * level);
        for (int i = depth - 1; i >= 0; i--) {
            value.put((byte) kind).putInt(level * i);
            if (kind == 'F' && i > 0) {
                value.put((byte) 0);
            }
        }
        return header("nested", Arrays.copyOf(value.array(), value.position()));
    }

    /** An entry of a table. */
    static byte[] header(String name, byte[] value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(shortString(name));
        bytes.writeBytes(value);
        return bytes.toByteArray();
    }

    private static byte[] shortString(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + bytes.length)
                .put((byte) bytes.length)
                .put(bytes)
                .array();
    }

    /** A message that is good but for its headers; returns when the broker has it. */
    void publish(String exchange, String routingKey, String type, byte[] headers, int moreFlags, String body) {
        ByteArrayOutputStream properties = new ByteArrayOutputStream();
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        properties.writeBytes(ByteBuffer.allocate(14)
                .putShort((short) BASIC)
                .putShort((short) 0)
                .putLong(content.length)
                .putShort((short) (FLAGS | moreFlags))
                .array());
        properties.writeBytes(ByteBuffer.allocate(4).putInt(headers.length).array());
        properties.writeBytes(headers);
        properties.write(2);
        properties.writeBytes(shortString("saga-" + routingKey.hashCode()));
        properties.writeBytes(shortString("id-" + System.nanoTime()));
        properties.writeBytes(shortString(type));
        ByteArrayOutputStream method = new ByteArrayOutputStream();
        method.writeBytes(ByteBuffer.allocate(6)
                .putShort((short) BASIC)
                .putShort((short) PUBLISH)
                .putShort((short) 0)
                .array());
        method.writeBytes(shortString(exchange));
        method.writeBytes(shortString(routingKey));
        method.write(0);
        try {
            write(AMQP.FRAME_METHOD, method.toByteArray());
            write(AMQP.FRAME_HEADER, properties.toByteArray());
            write(AMQP.FRAME_BODY, content);
            connection.flush();
            // the broker's own word that it is still here, after what was written before
            channel.basicQos(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(int type, byte[] payload) throws IOException {
        Assertions.assertThat(payload.length).isLessThanOrEqualTo(largestPayload());
        connection.writeFrame(new Frame(type, channel.getChannelNumber(), payload));
    }

    @Override
    public void close() {
        connection.abort();
    }
}
