// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.safebunny.BunnyHandler;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP, with a real broker and its management API: is it as planned, and how full are the queues? */
@Tag("once")
class TopologyIT {

    private static final TestBroker BROKER = TestBroker.shared();
    /** Longer than the shortest time between two comparisons, and the five seconds for which figures are late. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String node = "drift-" + UUID.randomUUID().toString().substring(0, 8);
    private final String queue = node + "-OrderPlaced";
    private final String archive = node + "-poison-archive";
    private final String old = node + "-Old";

    record OrderPlaced(String orderId) {}

    static class Handler {
        @BunnyHandler(from = "desk")
        void on(OrderPlaced order) {}
    }

    private void onTheBroker(Consumer<AssertableReactiveWebApplicationContext> test, String... properties) {
        on(HttpCalls.node().withBean(Handler.class), test, properties);
    }

    private void on(
            ReactiveWebApplicationContextRunner runner,
            Consumer<AssertableReactiveWebApplicationContext> test,
            String... properties) {
        runner.withPropertyValues(
                        "safebunny.transport=rabbit",
                        "safebunny.node=" + node,
                        "safebunny.topology.prefix=" + node,
                        "spring.rabbitmq.addresses=" + BROKER.host() + ":" + BROKER.port(),
                        "spring.rabbitmq.username=" + BROKER.username(),
                        "spring.rabbitmq.password=" + BROKER.password(),
                        "spring.rabbitmq.virtual-host=" + BROKER.virtualHost())
                .withPropertyValues(properties)
                .run(test::accept);
    }

    private static HttpResponse<String> topology(AssertableReactiveWebApplicationContext context) {
        return get(context, "safebunny/topology");
    }

    private static List<Object> of(HttpResponse<String> answer, String list, String name, String property) {
        return read(answer, "$.%s[?(@.name == '%s')].%s".formatted(list, name, property));
    }

    private static List<Object> marksOf(HttpResponse<String> answer, String exchange, String key) {
        return read(answer, "$.bindings[?(@.exchange == '%s' && @.routingKey == '%s')].mark".formatted(exchange, key));
    }

    private static void await(AssertableReactiveWebApplicationContext context, Consumer<HttpResponse<String>> wanted) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> wanted.accept(topology(context)));
    }

    @Test
    void whatSomebodyChangesByHandIsMarkedWhereItIsAndQueuesTellHowFullTheyAre() {
        Assumptions.assumeTrue(BROKER.managementUri().isPresent(), "no management API");
        onTheBroker(
                context -> {
                    await(context, answer -> {
                        assertThat(HttpCalls.<String>read(answer, "$.comparison.state"))
                                .isEqualTo("COMPARED");
                        assertThat(HttpCalls.<String>read(answer, "$.comparison.words"))
                                .isEqualTo("The broker is as planned.");
                        assertThat(of(answer, "queues", queue, "depth.consumers"))
                                .containsExactly(1);
                    });
                    HttpResponse<String> clean = topology(context);
                    for (String list : List.of("exchanges", "queues", "bindings")) {
                        assertThat(HttpCalls.<List<String>>read(clean, "$.%s[*].mark".formatted(list)))
                                .as(list)
                                .isNotEmpty()
                                .containsOnly("AS_PLANNED");
                    }
                    assertThat(Instant.parse(read(clean, "$.comparison.asOf"))).isBeforeOrEqualTo(Instant.now());
                    assertThat(clean.body()).doesNotContain(BROKER.password());

                    byHand(channel -> {
                        channel.queueUnbind(queue, node, "desk-OrderPlaced");
                        channel.queueBind(queue, node, "past-OrderPlaced");
                        channel.queueDelete(archive);
                        channel.exchangeDelete(node + ".due");
                        channel.basicPublish("", node + "-poison", MessageProperties.PERSISTENT_BASIC, new byte[0]);
                    });
                    await(context, answer -> {
                        assertThat(marksOf(answer, node, "desk-OrderPlaced")).containsExactly("MISSING");
                        assertThat(marksOf(answer, node, "past-OrderPlaced")).containsExactly("UNPLANNED");
                        assertThat(marksOf(answer, node + ".retry", queue)).containsExactly("AS_PLANNED");
                        assertThat(of(answer, "queues", queue, "mark")).containsExactly("AS_PLANNED");
                        assertThat(of(answer, "queues", archive, "mark")).containsExactly("MISSING");
                        assertThat(of(answer, "exchanges", node + ".due", "mark"))
                                .containsExactly("MISSING");
                        assertThat(of(answer, "queues", node + "-poison", "depth.ready"))
                                .containsExactly(1);
                        assertThat(HttpCalls.<String>read(answer, "$.comparison.level"))
                                .isEqualTo("DEGRADED");
                    });
                },
                "safebunny.topology.management-uri=" + BROKER.managementUri().orElseThrow());
    }

    /** Something that somebody does to the broker. */
    private interface Change {
        void on(Channel channel) throws IOException;
    }

    private static void byHand(Change change) {
        try (Connection connection = BROKER.connectionFactory().newConnection("by hand");
                Channel channel = connection.createChannel()) {
            change.on(channel);
        } catch (IOException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** Somebody may still want what is in it, and another version may only have paused the type. */
    @Test
    void aQueueThatAnEarlierVersionHasLeftIsMarkedAndNobodyIsWarnedOfIt() {
        Assumptions.assumeTrue(BROKER.managementUri().isPresent(), "no management API");
        byHand(channel -> {
            channel.exchangeDeclare(node, "topic", true);
            channel.exchangeDeclare(node + ".own", "topic", true);
            channel.queueDeclare(old, true, false, false, Map.of("x-queue-type", "quorum"));
            channel.queueBind(old, node + ".own", old);
            channel.queueBind(old, node, "desk-Old");
        });
        onTheBroker(
                context -> await(context, answer -> {
                    assertThat(of(answer, "queues", old, "mark")).containsExactly("UNPLANNED");
                    assertThat(of(answer, "queues", old, "type")).containsExactly("Old");
                    assertThat(of(answer, "queues", old, "depth.ready")).containsExactly(0);
                    assertThat(marksOf(answer, node, "desk-Old")).containsExactly("UNPLANNED");
                    assertThat(HttpCalls.<String>read(answer, "$.comparison.level"))
                            .isEqualTo("UP");
                    assertThat(HttpCalls.<String>read(answer, "$.comparison.words"))
                            .contains("but for 1 point of no harm");
                }),
                "safebunny.topology.management-uri=" + BROKER.managementUri().orElseThrow());
    }

    /** Of whose queues there is none. */
    @Test
    void aNodeThatOnlyPublishesIsComparedToo() {
        Assumptions.assumeTrue(BROKER.managementUri().isPresent(), "no management API");
        on(
                HttpCalls.node(),
                context -> await(context, answer -> {
                    assertThat(HttpCalls.<String>read(answer, "$.comparison.words"))
                            .isEqualTo("The broker is as planned.");
                    assertThat(HttpCalls.<List<String>>read(answer, "$.queues[*].name"))
                            .containsExactly(node + ".unrouted");
                }),
                "safebunny.topology.management-uri=" + BROKER.managementUri().orElseThrow());
    }

    @Test
    void whatCannotBeComparedSaysWhyAndMarksNothing() {
        onTheBroker(
                context -> await(context, answer -> {
                    assertThat(HttpCalls.<String>read(answer, "$.comparison.state"))
                            .isEqualTo("FAILED");
                    assertThat(HttpCalls.<String>read(answer, "$.comparison.words"))
                            .contains("could not be compared", "http://127.0.0.1:1", "management-uri");
                    assertThat(HttpCalls.<List<String>>read(answer, "$.queues[*].mark"))
                            .isNotEmpty()
                            .containsOnly("UNKNOWN");
                    assertThat(answer.body()).doesNotContain(BROKER.password());
                }),
                "safebunny.topology.management-uri=http://127.0.0.1:1");
    }

    @Test
    void withoutAManagementApiNobodyCompares() {
        onTheBroker(context -> {
            HttpResponse<String> answer = topology(context);

            assertThat(HttpCalls.<String>read(answer, "$.comparison.state")).isEqualTo("NOBODY");
            assertThat(HttpCalls.<String>read(answer, "$.comparison.words"))
                    .contains("set safebunny.topology.management-uri");
            assertThat(of(answer, "queues", queue, "role")).containsExactly("HANDLED");
            assertThat(of(answer, "queues", queue, "mark")).containsExactly("UNKNOWN");
        });
    }
}
