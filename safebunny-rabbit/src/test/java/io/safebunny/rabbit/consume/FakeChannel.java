// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.message.Headers;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The client library's channel without a broker: notes what is asked of it, and delivers when told. */
final class FakeChannel {

    /** In the order of the calls: {@code qos 1}, {@code consume}, {@code cancel}, {@code ack 1}, {@code nack 1}, {@code reject 1}, {@code close}. */
    final List<String> calls = new ArrayList<>();

    /** Thrown by the next consume, once. */
    @Nullable
    IOException refusal;

    /** Of what is delivered. */
    byte[] body = "{}".getBytes(StandardCharsets.UTF_8);

    /** Whether the broker answers a cancel at once, as it does when nothing is on its way. */
    boolean answersCancel = true;

    private final FakeConnection connection;
    private final Channel channel;
    private final List<ShutdownListener> listeners = new ArrayList<>();
    private @Nullable Consumer consumer;
    private int consumers;
    private long tags;
    private int prefetch;
    private int asked;
    /** Of the present consumer. */
    private final Set<String> unsettled = new HashSet<>();

    private boolean open = true;

    FakeChannel(FakeConnection connection) {
        this.connection = connection;
        this.channel = (Channel) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Channel.class},
                (proxy, method, arguments) -> answer(method.getName(), arguments));
    }

    Channel channel() {
        return channel;
    }

    boolean isOpen() {
        return open && connection.open;
    }

    private @Nullable Object answer(String method, @Nullable Object @Nullable [] arguments) throws IOException {
        Object[] given = arguments == null ? new Object[0] : arguments;
        return switch (method) {
            case "isOpen" -> isOpen();
            case "getConnection" -> connection.connection();
            case "addShutdownListener" -> listen((ShutdownListener) given[0]);
            case "setDefaultConsumer" -> null;
            case "basicQos" -> ask((Integer) given[0]);
            case "basicConsume" -> consume((Consumer) given[2]);
            case "basicCancel" -> cancel();
            case "basicAck" -> acknowledge((Long) given[0]);
            case "basicNack" -> note("nack " + given[0]);
            case "basicReject" -> note("reject " + given[0]);
            case "close" -> close();
            case "equals" -> given[0] == channel;
            case "hashCode" -> System.identityHashCode(this);
            case "toString" -> "fake channel";
            default -> throw new UnsupportedOperationException(method);
        };
    }

    private @Nullable Object listen(ShutdownListener listener) {
        listeners.add(listener);
        return null;
    }

    private @Nullable Object note(String call) {
        calls.add(call);
        return null;
    }

    private @Nullable Object ask(int wanted) {
        asked = wanted;
        return note("qos " + wanted);
    }

    private @Nullable Object acknowledge(long tag) {
        unsettled.remove("message-" + tag);
        return note("ack " + tag);
    }

    private @Nullable Object cancel() {
        calls.add("cancel");
        prefetch = 0;
        if (answersCancel) {
            confirmCancel();
        }
        return null;
    }

    private @Nullable Object close() {
        open = false;
        return note("close");
    }

    private String consume(Consumer wanted) throws IOException {
        calls.add("consume");
        IOException thrown = refusal;
        refusal = null;
        if (thrown != null) {
            throw thrown;
        }
        consumer = wanted;
        prefetch = asked;
        unsettled.clear();
        return "tag-" + ++consumers;
    }

    private Consumer consumer() {
        if (consumer == null) {
            throw new AssertionError("nobody consumes");
        }
        return consumer;
    }

    void confirmCancel() {
        consumer().handleCancelOk("tag-" + consumers);
    }

    /** Whether the present consumer, if there is one, takes another message. */
    boolean hasRoom() {
        return isOpen() && unsettled.size() < prefetch;
    }

    /** Of the message that is delivered next. */
    String nextId() {
        return "message-" + (tags + 1);
    }

    /** @param failures failed deliveries, as the broker counts them */
    void deliver(int failures) {
        deliver(failures, Map.of("x-delivery-count", (long) failures));
    }

    /** One that is to be handled in order with others of this key. */
    void deliver(String key) {
        deliver(0, Map.of(Headers.ORDER_KEY, key));
    }

    /** @param header one more, which says what the message is */
    void deliver(String key, String header) {
        deliver(0, Map.of(Headers.ORDER_KEY, key, header, 1L));
    }

    private void deliver(int failures, Map<String, Object> headers) {
        unsettled.add(nextId());
        try {
            consumer()
                    .handleDelivery(
                            "tag-" + consumers,
                            new Envelope(++tags, failures > 0, "safebunny", "Ping"),
                            new BasicProperties.Builder()
                                    .messageId("message-" + tags)
                                    .headers(headers)
                                    .build(),
                            body);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The broker ends the consumer: the queue is gone. */
    void cancelByBroker() {
        try {
            consumer().handleCancel("tag-" + consumers);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The broker closes the channel. */
    void closeByBroker() {
        open = false;
        AMQP.Channel.Close reason = new AMQP.Channel.Close.Builder()
                .replyCode(406)
                .replyText("PRECONDITION_FAILED - of the test")
                .classId(0)
                .methodId(0)
                .build();
        ShutdownSignalException cause = new ShutdownSignalException(false, false, reason, channel);
        listeners.forEach(listener -> listener.shutdownCompleted(cause));
    }

    /** A connection without a broker, and the channels opened on it. */
    static final class FakeConnection {

        final List<FakeChannel> channels = new ArrayList<>();
        boolean open = true;

        /** Thrown by the first consume on the next channel. */
        @Nullable
        IOException refusal;

        private final Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "isOpen" -> open;
                        case "createChannel" -> open();
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });

        private Channel open() {
            FakeChannel fresh = new FakeChannel(this);
            fresh.refusal = refusal;
            refusal = null;
            channels.add(fresh);
            return fresh.channel();
        }

        Connection connection() {
            return connection;
        }

        FakeChannel latest() {
            return channels.get(channels.size() - 1);
        }
    }
}
