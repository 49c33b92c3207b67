// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.leaks.LeakCheck;
import io.safebunny.test.proxy.TcpProxy;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Order while the broker or the network takes away the channels of those who consume: two instances, of which one is active. */
@Timeout(120)
class OrderedConsumptionIT {

    @RegisterExtension
    static final LeakCheck LEAKS = RabbitBench.leaks();

    private static final int KEYS = 8;
    private static final int OF_EACH_KEY = 60;
    private static final int PREFETCH = 20;
    /** How many effects there are between two losses. */
    private static final int BETWEEN = 60;

    /** Of the delivery that this thread handles. */
    private static final ThreadLocal<Channel> CHANNEL = new ThreadLocal<>();

    private final RabbitBench rabbit = new RabbitBench();
    private final TcpProxy proxy =
            TcpProxy.to(TestBroker.shared().host(), TestBroker.shared().port());
    private final SystemTimeline timeline = new SystemTimeline("ordered-consumption");
    private final String node = "ordered-" + UUID.randomUUID().toString().substring(0, 8);
    private final String queue = node + "-Ping.in";
    private final String shard = node + "-Ping.3";
    private final List<RabbitTransport> transports = new ArrayList<>();

    /** The numbers of each key's messages, in the order in which they had an effect for the first time. */
    private final Map<String, List<Integer>> effects = new TreeMap<>();

    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Set<String> kept = ConcurrentHashMap.newKeySet();
    private final Set<Integer> lost = ConcurrentHashMap.newKeySet();

    @AfterEach
    void cleanUp() {
        transports.forEach(RabbitTransport::close);
        rabbit.onBroker(channel -> channel.queueDelete(queue));
        rabbit.onBroker(channel -> channel.queueDelete(shard));
        proxy.close();
        rabbit.close();
        timeline.close();
    }

    private Topology topology(String... ordered) {
        TopologyOptions options = TopologyOptions.defaults();
        Topology plain = TopologyPlanner.plan(node, List.of(), options);
        List<Topology.Queue> queues = new ArrayList<>(plain.queues());
        List<Topology.Binding> bindings = new ArrayList<>(plain.bindings());
        for (String name : ordered) {
            queues.add(TopologyPlanner.ordered(node, name, options));
            bindings.add(new Topology.Binding(options.ownExchange(), name, name));
        }
        return new Topology(node, options, plain.exchanges(), queues, bindings);
    }

    private RabbitTransport started(RabbitTransport transport) {
        transports.add(transport);
        transport.start(topology(queue));
        return transport;
    }

    private RabbitTransport publisher() {
        return started(rabbit.transport(node));
    }

    @Test
    void keepsTheOrderWhenConnectionsAreLost() {
        RabbitTransport publisher = publisher();
        for (int instance = 0; instance < 2; instance++) {
            ConnectionFactory through = rabbit.client();
            through.setHost("127.0.0.1");
            through.setPort(proxy.port());
            started(rabbit.transport(through))
                    .consumeOrdered(queue, PREFETCH, Pace.FULL, losing(delivery -> proxy.cut()));
        }

        publish(publisher);

        awaitAllInOrder();
    }

    @Test
    void keepsTheOrderWhenTheBrokerClosesChannels() {
        RabbitTransport publisher = publisher();
        MethodInterceptor noting = invocation -> {
            CHANNEL.set((Channel) invocation.getArguments()[0]);
            return invocation.proceed();
        };
        for (int instance = 0; instance < 2; instance++) {
            RabbitTransport transport = new RabbitTransport(
                    RabbitTransportOptions.defaults(),
                    new BrokerConnections(
                            rabbit.factory(node + ":publish"),
                            rabbit.factory(node + ":consume"),
                            rabbit.factory(node + ":dead-letters")),
                    rabbit.workers(),
                    timeline,
                    container -> container.setAdviceChain(noting));
            started(transport).consumeOrdered(queue, PREFETCH, Pace.FULL, losing(delivery -> {
                try {
                    CHANNEL.get().basicAck(1_000_000, false); // unknown to the broker, so it closes the channel
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
        }

        publish(publisher);

        awaitAllInOrder();
    }

    /** When a version with more shards has come and gone. */
    @Test
    void consumesAShardThatOnlyAnotherVersionHasDeclared() {
        RabbitTransport other = rabbit.transport(node);
        transports.add(other);
        other.start(topology(queue, shard));
        RabbitTransport transport = publisher();
        Set<String> delivered = ConcurrentHashMap.newKeySet();

        transport.consumeOrdered(shard, PREFETCH, Pace.FULL, delivery -> {
            delivered.add(delivery.message().queue());
            delivery.acknowledge();
        });
        assertThat(transport.send(
                        new OutboundMessage(message("k1", 1).message(), new Route.ToQueue(shard), Duration.ZERO),
                        rabbit.deadline()))
                .succeedsWithin(Duration.ofSeconds(30));

        await().until(() -> delivered.contains(shard));
        assertThatThrownBy(() -> transport.consumeOrdered(node + "-Pong.3", PREFETCH, Pace.FULL, delivery -> {}))
                .hasMessageContaining("SB-5001");
    }

    /** The next message of a key after the confirm of the one before. */
    private void publish(RabbitTransport publisher) {
        for (int number = 0; number < OF_EACH_KEY; number++) {
            int next = number;
            CompletableFuture<?>[] sent = IntStream.range(0, KEYS)
                    .mapToObj(key -> publisher.send(message("k" + key, next), rabbit.deadline()))
                    .toArray(CompletableFuture[]::new);
            assertThat(CompletableFuture.allOf(sent)).succeedsWithin(Duration.ofSeconds(30));
        }
    }

    private OutboundMessage message(String key, int number) {
        return new OutboundMessage(
                new WireMessage(
                        key + "-" + number,
                        "saga",
                        "Ping",
                        node,
                        null,
                        "application/json",
                        null,
                        Map.of(Headers.ORDER_KEY, key),
                        "{}".getBytes(StandardCharsets.UTF_8)),
                new Route.ToQueue(queue),
                Duration.ZERO);
    }

    /** Has an effect of each message once, keeps some in their place, and loses the channel before the acknowledgement of a few. */
    private DeliveryHandler losing(DeliveryHandler loss) {
        return delivery -> {
            String id = String.valueOf(delivery.message().message().messageId());
            if (id.endsWith("3") && kept.add(id)) {
                delivery.keep(Duration.ofMillis(5));
                return;
            }
            if (effect(id) && lost.add(seen.size() / BETWEEN)) {
                loss.handle(delivery);
            }
            delivery.acknowledge();
        };
    }

    /** @return whether it was the first one */
    private boolean effect(String id) {
        int dash = id.indexOf('-');
        synchronized (effects) {
            if (!seen.add(id)) {
                return false;
            }
            effects.computeIfAbsent(id.substring(0, dash), key -> new ArrayList<>())
                    .add(Integer.parseInt(id.substring(dash + 1)));
            return true;
        }
    }

    private void awaitAllInOrder() {
        await().atMost(Duration.ofSeconds(60)).until(() -> seen.size() == KEYS * OF_EACH_KEY);
        List<Integer> inOrder = IntStream.range(0, OF_EACH_KEY).boxed().toList();
        assertThat(effects)
                .hasSize(KEYS)
                .allSatisfy((key, numbers) -> assertThat(numbers).as(key).isEqualTo(inOrder));
        assertThat(lost).hasSizeGreaterThan(5);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> transports.get(0).depth(queue).orElseThrow() == 0);
    }
}
