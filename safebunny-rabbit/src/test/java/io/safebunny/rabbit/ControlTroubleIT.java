// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.test.broker.RabbitNode;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.time.Timeline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfNode;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Whatever happens between instances, the node consumes; and they hear each other again when they can. */
@Timeout(180)
class ControlTroubleIT {

    private static final String NODE = "control-trouble";
    private static final ControlAddress OF_NODE = new OfNode(NODE);
    private static final ControlAddress EVERYONE = new Everyone();
    private static final Duration SOON = Duration.ofSeconds(30);

    private static RabbitNode server;

    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final SystemTimeline timeline = new SystemTimeline("control-trouble");
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private final Queue<String> heardByAll = new ConcurrentLinkedQueue<>();
    private final RabbitTransport transport = transport(timeline);
    private ControlChannel control;

    @BeforeAll
    static void startServer() {
        assumeTrue(RabbitNode.installedRoot().isPresent(), "Needs an installed RabbitMQ server of its own");
        server = RabbitNode.start();
    }

    @AfterAll
    static void closeServer() {
        if (server != null) {
            server.close();
        }
    }

    private RabbitTransport transport(Timeline time) {
        return new RabbitTransport(
                RabbitTransportOptions.defaults(),
                new BrokerConnections(factory("publish"), factory("consume"), factory("dead-letters")),
                workers,
                time);
    }

    private static CachingConnectionFactory factory(String name) {
        CachingConnectionFactory factory = new CachingConnectionFactory(new Onlooker(server.broker()).client());
        factory.setConnectionNameStrategy(ignored -> NODE + ':' + name);
        return factory;
    }

    @BeforeEach
    void consume() {
        transport.start(TopologyPlanner.plan(
                NODE, List.of(new Subscription("Ping", List.of(NODE))), TopologyOptions.defaults()));
        transport.consume(NODE + "-Ping", 10, delivery -> {
            handled.add(String.valueOf(delivery.message().message().messageId()));
            delivery.acknowledge();
        });
        control = transport.control(Map.of(
                OF_NODE,
                message -> heard.add(new String(message, UTF_8)),
                EVERYONE,
                message -> heardByAll.add(new String(message, UTF_8))));
        awaitHearing("at first");
    }

    @AfterEach
    void stop() {
        transport.close();
        workers.shutdownNow();
        timeline.close();
    }

    private void awaitHearing(String word) {
        await().atMost(SOON).untilAsserted(() -> {
            for (ControlAddress address : List.of(OF_NODE, EVERYONE)) {
                assertThat(control.tell(address, word.getBytes(UTF_8))).succeedsWithin(Duration.ofSeconds(2));
                assertThat(control.problem(address)).isNull();
            }
            assertThat(heard).contains(word);
            assertThat(heardByAll).contains(word);
        });
    }

    private void awaitHandling(String id) {
        await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
            assertThat(transport.send(
                            RabbitBench.message(NODE, id, new Route.ToSubscribers(NODE + "-Ping"), Duration.ZERO),
                            Deadline.after(Duration.ofSeconds(10), timeline)))
                    .succeedsWithin(Duration.ofSeconds(10));
            assertThat(handled).contains(id);
        });
    }

    private static Set<String> controlQueues() {
        return server.control("--silent", "list_queues", "name")
                .lines()
                .filter(name -> name.contains("-control-"))
                .collect(Collectors.toSet());
    }

    @Test
    void aLimitOfQueuesKeepsNoNodeFromConsuming() {
        server.control("set_vhost_limits", "-p", "/", "{\"max-queues\": 1}");
        server.broker().closeConnection(NODE + ":consume");

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(control.problem(OF_NODE)).contains("limit"));
        awaitHandling("beyond the limit");
        assertThat(transport.status().usable()).isTrue();

        server.control("clear_vhost_limits", "-p", "/");
        awaitHearing("without the limit");
    }

    @Test
    void anExchangeThatIsDeletedIsDeclaredAgain() {
        new Onlooker(server.broker()).onBroker(channel -> channel.exchangeDelete("safebunny.control"));

        awaitHandling("without the exchange");
        awaitHearing("declared again");
    }

    /** It sends nothing, so no failure tells it. */
    @Test
    void anInstanceThatOnlyListensHearsAgainAfterTheExchangeWasDeleted() {
        Queue<String> listening = new ConcurrentLinkedQueue<>();
        RabbitTransport listener = transport(new HurriedTimeline(timeline));
        listener.start(TopologyPlanner.plan("control-listener", List.of(), TopologyOptions.defaults()));
        try {
            listener.control(Map.of(EVERYONE, message -> listening.add(new String(message, UTF_8))));
            awaitHearing("before");
            await().atMost(SOON).until(() -> listening.contains("before"));

            new Onlooker(server.broker()).onBroker(channel -> channel.exchangeDelete("safebunny.control"));

            await().atMost(SOON).untilAsserted(() -> {
                awaitHearing("heard again");
                assertThat(listening).contains("heard again");
            });
        } finally {
            listener.close();
        }
    }

    /** On it, three seconds take as long as a minute. */
    private static final class HurriedTimeline extends ForwardingTimeline {

        private static final int TIMES = 20;

        private HurriedTimeline(Timeline timeline) {
            super(timeline);
        }

        @Override
        public long nanoTime() {
            return super.nanoTime() * TIMES;
        }

        @Override
        public Cancellable schedule(Purpose purpose, Duration delay, Runnable task) {
            return super.schedule(purpose, delay.dividedBy(TIMES), task);
        }
    }

    @Test
    void anAlarmOfTheBrokerFailsWhatIsToldUntilItIsOver() {
        Set<String> before = controlQueues();
        server.memoryAlarm(true);
        try {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(control.tell(EVERYONE, "during the alarm".getBytes(UTF_8)))
                            .failsWithin(Duration.ofSeconds(3)));
            assertThat(control.problem(EVERYONE)).isNotNull();
        } finally {
            server.memoryAlarm(false);
        }

        // longer than it takes to join anew, which would lose the hints that wait in the queue
        await().during(Duration.ofSeconds(7)).atMost(SOON).until(() -> controlQueues()
                .equals(before));
        awaitHearing("after the alarm");
    }

    @Test
    void aFloodStaysOnTheBrokerAndTheNodeConsumes() {
        byte[] forged = "x".repeat(1_000).getBytes(UTF_8);
        new Onlooker(server.broker()).onBroker(channel -> {
            for (int i = 0; i < 50_000; i++) {
                channel.basicPublish("safebunny.control", NODE, null, forged);
            }
        });

        awaitHandling("in the flood");
        awaitHearing("after the flood");
    }
}
