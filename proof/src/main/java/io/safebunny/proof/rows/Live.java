// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.proof.saga.Node;
import io.safebunny.proof.saga.NodeAddress;
import io.safebunny.proof.saga.Persistence;
import io.safebunny.proof.store.OpenStore;
import io.safebunny.proof.store.StoreAddress;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Nodes of one row on a real broker, in this process, with names of their own. Closed when the row has been measured. */
public final class Live implements AutoCloseable {

    /** Places of each queue and instance. */
    public static final int PLACES = 10;

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int CONNECTIONS = 24;
    /** Of the delay ladder, with waiting times of 1 ms, 2 ms, and so on; more than a year has. */
    private static final int RUNGS = 36;

    /** How long a message waits for its second attempt, and then for its last. */
    public static final List<Duration> DELAYS = List.of(Duration.ofMillis(200), Duration.ofSeconds(1));

    private static final int SOME = 3;

    private static final RecoveryPolicy POLICY = RecoveryPolicy.of(RetryStrategy.none(), new RetryStrategy(DELAYS, 0));

    private final String run = UUID.randomUUID().toString().substring(0, 6);
    private final String broker = TestBroker.shared().uri().toString();
    private final SystemTimeline timeline = new SystemTimeline("proof");
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public String name(String node) {
        return run + "-" + node;
    }

    public String prefix() {
        return "proof-" + run;
    }

    public static Duration lease() {
        return LEASE;
    }

    public SystemTimeline timeline() {
        return timeline;
    }

    public OpenStore store(StoreAddress address, String node) {
        OpenStore store = OpenStore.open(address, name(node), timeline, CONNECTIONS);
        open.push(store);
        return store;
    }

    /** One instance, which does not consume yet. */
    public Node instance(String node, @Nullable OpenStore store) {
        return instance(node, store, parts -> parts);
    }

    /** @param more sets what else it is made of */
    public Node instance(String node, @Nullable OpenStore store, UnaryOperator<SafeBunnyParts.Builder> more) {
        Node instance = unclosed(node, store, more);
        open.push(instance);
        return instance;
    }

    /** The same, which its caller closes. */
    public Node unclosed(String node, @Nullable OpenStore store, UnaryOperator<SafeBunnyParts.Builder> more) {
        Persistence persistence = new Persistence(
                store == null ? new MemoryMessageStore(timeline, Duration.ofDays(1)) : store.store(), null, LEASE);
        return new Node(
                new NodeAddress(name(node), prefix(), broker), persistence, timeline, transport -> transport, more);
    }

    /** What a node without sagas does with one type from another node. */
    public HandlerDefinition handler(Class<?> type, String from, HandlerInvoker invoker) {
        return new HandlerDefinition("proof", type.getSimpleName(), type, List.of(name(from)), PLACES, POLICY, invoker);
    }

    /** In the saga's annotations, {@code ${…}} is the name of a node of this run. */
    public List<SagaDefinition> sagas(Object saga) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        beans.addEmbeddedValueResolver(text -> text.replace("${", run + "-").replace("}", ""));
        HandlerDefaults defaults =
                new HandlerDefaults(PLACES, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), POLICY.delayed());
        return new SagaScanner(beans, defaults, null).sagas();
    }

    /** Number of ready messages. */
    public int depth(String node, String queue) throws IOException {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            return channel.queueDeclarePassive(name(node) + "-" + queue).getMessageCount();
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IOException(e);
        }
    }

    /** The headers of the first three poison messages, or fewer, which stay. */
    public List<Map<String, Object>> somePoison(String node) throws IOException {
        try (Connection connection = connect();
                Channel channel = connection.createChannel()) {
            List<Map<String, Object>> found = new ArrayList<>();
            for (int i = 0; i < SOME; i++) {
                GetResponse next = channel.basicGet(name(node) + "-poison", false);
                if (next != null) {
                    found.add(next.getProps().getHeaders());
                }
            }
            return found;
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IOException(e);
        }
    }

    /**
     * Takes all messages out of the queues in which delayed ones wait, or deletes these.
     *
     * @return how many messages there were
     */
    public int emptyLadder(boolean delete) throws IOException {
        int lost = 0;
        try (Connection connection = connect()) {
            for (int rung = 0; rung < RUNGS; rung++) {
                try (Channel channel = connection.createChannel()) {
                    String queue = String.format(Locale.ROOT, "%s.delayed.%02d", prefix(), rung);
                    lost += delete
                            ? channel.queueDelete(queue).getMessageCount()
                            : channel.queuePurge(queue).getMessageCount();
                } catch (IOException e) {
                    if (!(e.getCause() instanceof ShutdownSignalException)) {
                        throw e;
                    }
                    // a rung that nobody has needed so far is not there
                } catch (java.util.concurrent.TimeoutException e) {
                    throw new IOException(e);
                }
            }
        }
        return lost;
    }

    /** To the broker, for what no node does; closed by the caller. */
    public Connection connect() throws IOException {
        try {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(broker);
            return factory.newConnection("proof");
        } catch (java.util.concurrent.TimeoutException
                | java.net.URISyntaxException
                | java.security.GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        timeline.close();
    }
}
