// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.publish;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.BlockedCallback;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ReturnCallback;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.UnblockedCallback;
import io.safebunny.message.WireMessage;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** What the client library shows of a broker, answered by a test: connections, their channels, and what is published on each. */
public final class FakeBroker {

    public static final WireMessage ORDER_PLACED = new WireMessage(
            "e45168e9-f6be-8373-b4e7-8db02a91fc30",
            "db19dadf-39d7-4529-836d-cb89e97bfb48",
            "OrderPlaced",
            "orders",
            1_767_225_600L,
            "application/json",
            null,
            null,
            Map.of("sb-marker", 2, "sb-attempt", 0),
            "{\"orderId\":\"o-1\",\"total\":42}".getBytes(StandardCharsets.UTF_8));

    final List<FakeConnection> connections = new ArrayList<>();

    public ConnectionFactory factory() {
        return fake(ConnectionFactory.class, (self, method, arguments) -> switch (method.getName()) {
            case "createConnection" -> {
                FakeConnection next = new FakeConnection();
                connections.add(next);
                yield fake(
                        org.springframework.amqp.rabbit.connection.Connection.class,
                        (spring, call, none) -> call.getName().equals("getDelegate") ? next.proxy : null);
            }
            case "getPort" -> 5672;
            default -> "fake";
        });
    }

    public FakeConnection connection() {
        return connections.get(connections.size() - 1);
    }

    /** What the broker says when it closes a channel. */
    public static ShutdownSignalException channelClosed(int code, String text) {
        return new ShutdownSignalException(
                false,
                false,
                new AMQP.Channel.Close.Builder().replyCode(code).replyText(text).build(),
                "channel");
    }

    static ShutdownSignalException connectionLost() {
        return new ShutdownSignalException(true, false, null, "connection");
    }

    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    public static final class FakeConnection {
        public final List<FakeChannel> channels = new ArrayList<>();

        /** Opens no further channel, as when it is stuck. */
        public boolean opensNoChannel;

        final CountDownLatch aborted = new CountDownLatch(1);
        final Connection proxy = fake(Connection.class, this::call);
        private volatile boolean open = true;
        private @Nullable BlockedCallback blocked;
        private @Nullable UnblockedCallback unblocked;
        private @Nullable ShutdownListener shutdown;

        private @Nullable Object call(Object self, Method method, Object[] arguments) throws IOException {
            return switch (method.getName()) {
                case "isOpen" -> open;
                case "getAddress" -> InetAddress.getLoopbackAddress();
                case "getPort" -> 5672;
                case "createChannel" -> {
                    if (opensNoChannel) {
                        throw new IOException("no answer (simulated)");
                    }
                    FakeChannel next = new FakeChannel();
                    channels.add(next);
                    yield next.proxy;
                }
                case "addBlockedListener" -> {
                    blocked = (BlockedCallback) arguments[0];
                    unblocked = (UnblockedCallback) arguments[1];
                    yield null;
                }
                case "addShutdownListener" -> {
                    shutdown = (ShutdownListener) arguments[0];
                    yield null;
                }
                case "abort" -> {
                    aborted.countDown();
                    yield null;
                }
                default -> null;
            };
        }

        FakeChannel channel() {
            return channels.get(channels.size() - 1);
        }

        /** The names of exchanges and queues, in the order in which it was asked for them. */
        public List<String> declared() {
            return channels.stream()
                    .flatMap(channel -> channel.declared.stream())
                    .toList();
        }

        void block() throws IOException {
            if (blocked != null) {
                blocked.handle("low on memory");
            }
        }

        void unblock() {
            try {
                if (unblocked != null) {
                    unblocked.handle();
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        void lose() {
            open = false;
            ShutdownSignalException cause = connectionLost();
            channels.forEach(channel -> channel.close(cause));
            if (shutdown != null) {
                shutdown.shutdownCompleted(cause);
            }
        }
    }

    /** @param number on its channel */
    public record Published(
            long number, String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body) {}

    public static final class FakeChannel {
        public final List<Published> published = new ArrayList<>();
        final List<String> declared = new ArrayList<>();
        final Channel proxy = fake(Channel.class, this::call);

        /** Instead of taking the next publication, as when the connection is stuck or lost, or the client refuses it. */
        @Nullable
        Write instead;

        private @Nullable ShutdownSignalException closed;
        private boolean closedByClient;
        private @Nullable ConfirmCallback ack;
        private @Nullable ConfirmCallback nack;
        private @Nullable ReturnCallback returns;
        private @Nullable ShutdownListener shutdown;
        private long numbers = 1;

        @FunctionalInterface
        interface Write {
            void write() throws IOException, InterruptedException;
        }

        private @Nullable Object call(Object self, Method method, Object[] arguments) throws Exception {
            return switch (method.getName()) {
                case "isOpen" -> closed == null && !closedByClient;
                case "getCloseReason" -> closed;
                case "getNextPublishSeqNo" -> numbers;
                case "addConfirmListener" -> {
                    ack = (ConfirmCallback) arguments[0];
                    nack = (ConfirmCallback) arguments[1];
                    yield null;
                }
                case "addReturnListener" -> {
                    returns = (ReturnCallback) arguments[0];
                    yield null;
                }
                case "addShutdownListener" -> {
                    shutdown = (ShutdownListener) arguments[0];
                    yield null;
                }
                case "basicPublish" -> {
                    publish(arguments);
                    yield null;
                }
                case "exchangeDeclare", "queueDeclare" -> {
                    declared.add((String) arguments[0]);
                    yield null;
                }
                case "queueDeclarePassive" -> {
                    closedByClient = true; // for there is nothing but what was declared
                    throw new IOException(new ShutdownSignalException(
                            false,
                            false,
                            new AMQP.Channel.Close.Builder()
                                    .replyCode(AMQP.NOT_FOUND)
                                    .replyText("NOT_FOUND - no queue '%s' in vhost '/'".formatted(arguments[0]))
                                    .build(),
                            null));
                }
                case "close" -> {
                    closedByClient = true;
                    yield null;
                }
                default -> null;
            };
        }

        private void publish(Object[] arguments) throws IOException, InterruptedException {
            if (closed != null) {
                throw new AlreadyClosedException(closed);
            }
            long number = numbers++;
            Write other = instead;
            if (other != null) {
                instead = null;
                other.write();
                return;
            }
            published.add(new Published(
                    number, (String) arguments[0], (String) arguments[1], (AMQP.BasicProperties) arguments[3], (byte[])
                            arguments[4]));
        }

        boolean isClosedByClient() {
            return closedByClient;
        }

        public void ack(long number, boolean multiple) {
            tell(ack, number, multiple);
        }

        public void nack(long number, boolean multiple) {
            tell(nack, number, multiple);
        }

        private static void tell(@Nullable ConfirmCallback callback, long number, boolean multiple) {
            try {
                if (callback != null) {
                    callback.handle(number, multiple);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /** As the broker does before the confirm. */
        public void giveBack(Published message, AMQP.BasicProperties properties) {
            if (returns != null) {
                returns.handle(new Return(
                        AMQP.NO_ROUTE,
                        "NO_ROUTE",
                        message.exchange(),
                        message.routingKey(),
                        properties,
                        message.body()));
            }
        }

        public void close(ShutdownSignalException cause) {
            if (closed == null) {
                closed = cause;
                if (shutdown != null) {
                    shutdown.shutdownCompleted(cause);
                }
            }
        }
    }
}
