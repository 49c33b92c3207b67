// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.safebunny.benchmarks.broker.BenchBroker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;

/**
 * The upper bound set by the client library: bytes are passed on unchanged, on the consumer's thread, and a message is
 * acknowledged when its follower is confirmed.
 */
final class RawTrack implements Track {

    private static final String QUEUE = "raw-";
    private static final int PREFETCH = 10;

    private final Connection publish;
    private final Connection consume;
    private final Channel front;
    private volatile LongConsumer finish = begun -> {};

    RawTrack(BenchBroker broker) throws IOException, TimeoutException {
        publish = broker.connect();
        consume = broker.connect();
        declare("First", "Second", "Third", "Done");
        Channel done = consumer();
        String unused = done.basicConsume(
                QUEUE + "Done",
                false,
                (tag, delivery) -> {
                    done.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
                    finish.accept(ByteBuffer.wrap(delivery.getBody()).getLong());
                },
                tag -> {});
        passOn("Third", "Done");
        passOn("Second", "Third");
        passOn("First", "Second");
        front = publish.createChannel();
        front.confirmSelect();
    }

    private void declare(String... types) throws IOException {
        Channel channel = consume.createChannel();
        for (String type : types) {
            channel.queueDeclare(QUEUE + type, true, false, false, Map.of("x-queue-type", "quorum"));
        }
    }

    private Channel consumer() throws IOException {
        Channel channel = consume.createChannel();
        channel.basicQos(PREFETCH);
        return channel;
    }

    private void passOn(String from, String to) throws IOException {
        Channel in = consumer();
        Channel out = publish.createChannel();
        ConcurrentNavigableMap<Long, Long> unconfirmed = new ConcurrentSkipListMap<>();
        out.confirmSelect();
        out.addConfirmListener(
                (sequence, multiple) -> {
                    ConcurrentNavigableMap<Long, Long> confirmed =
                            unconfirmed.subMap(multiple ? 0 : sequence, true, sequence, true);
                    for (Long tag : confirmed.values()) {
                        in.basicAck(tag, false);
                    }
                    confirmed.clear();
                },
                (sequence, multiple) -> publish.abort()); // a nack aborts the measurement
        String unused = in.basicConsume(
                QUEUE + from,
                false,
                (tag, delivery) -> {
                    unconfirmed.put(
                            out.getNextPublishSeqNo(), delivery.getEnvelope().getDeliveryTag());
                    send(out, to, delivery.getBody());
                },
                tag -> {});
    }

    private static void send(Channel channel, String to, byte[] body) throws IOException {
        channel.basicPublish("", QUEUE + to, true, MessageProperties.PERSISTENT_BASIC, body);
    }

    @Override
    public void begin(long begun) throws IOException {
        send(front, "First", ByteBuffer.allocate(Hop.BYTES).putLong(begun).array());
    }

    @Override
    public void onFinish(LongConsumer newFinish) {
        finish = newFinish;
    }

    @Override
    public void close() {
        publish.abort();
        consume.abort();
    }
}
