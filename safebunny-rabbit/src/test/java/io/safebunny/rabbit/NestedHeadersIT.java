// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** One message whose headers are nested as deeply as a frame allows: nobody's connection ends, nobody waits for it. */
@Timeout(120)
@Tag("once")
class NestedHeadersIT {

    /** The deepest headers take seconds to read: the client passes each byte through as many streams as there are levels. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final HostileClient hostile = new HostileClient(broker);
    private final String node = "nested." + UUID.randomUUID().toString().substring(0, 8);
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();
    private final Logger keepers = (Logger) LoggerFactory.getLogger("io.safebunny.rabbit");

    @BeforeEach
    void listen() {
        warnings.start();
        keepers.setLevel(Level.WARN);
        keepers.addAppender(warnings);
    }

    @AfterEach
    void cleanUp() {
        keepers.detachAppender(warnings);
        keepers.setLevel(null);
        hostile.close();
        onlooker.onBroker(channel -> {
            channel.queueDelete(node + "-Job");
            channel.queueDelete(node + "-poison");
            channel.queueDelete(node + "-dead-letters");
        });
    }

    private NodeUnderTest start() {
        InstanceOptions options = new InstanceOptions(node, broker, 3, 20, Duration.ZERO, true);
        return NodeUnderTest.startWith(
                options,
                bunny -> List.of(new HandlerDefinition(
                        "nested",
                        "Job",
                        Job.class,
                        List.of(node),
                        3,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> handled.add(((Job) payload).id()))));
    }

    private static String job(String id) {
        return "{\"id\":\"%s\",\"kills\":false}".formatted(id);
    }

    private int poisoned() {
        int[] length = {0};
        onlooker.onBroker(channel -> length[0] = (int) channel.messageCount(node + "-poison"));
        return length[0];
    }

    private void assertNothingWasLost() {
        assertThat(warned(" lost") || warned("closed the channel") || warned("deeply nested"))
                .isFalse();
    }

    private int deepest(char kind) {
        return (hostile.largestPayload() - 200) / (kind == 'A' ? 5 : 6);
    }

    @ParameterizedTest
    @ValueSource(chars = {'A', 'F'})
    void aMessageIsHandledHoweverDeepItsHeadersAre(char kind) {
        try (NodeUnderTest running = start()) {
            hostile.publish(
                    "safebunny", node + "-Job", "Job", HostileClient.nested(kind, deepest(kind)), 0, job("deep"));
            assertThat(running.bunny().publish(new Job("good", false)).messageId())
                    .isNotEmpty();

            await().atMost(SOON).until(() -> handled.containsAll(Set.of("deep", "good")));
            assertNothingWasLost();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 26_000})
    void aDeadLetterIsSetAsideHoweverDeepItsDeathIs(int depth) {
        try (NodeUnderTest running = start()) {
            byte[] value = HostileClient.nested('A', depth);
            byte[] queue =
                    HostileClient.header("queue", Arrays.copyOfRange(value, "nested".length() + 1, value.length));
            byte[] death = ByteBuffer.allocate(5 + 5 + queue.length)
                    .put((byte) 'A')
                    .putInt(5 + queue.length)
                    .put((byte) 'F')
                    .putInt(queue.length)
                    .put(queue)
                    .array();
            hostile.publish(
                    "safebunny.poison",
                    node + "-dead-letters",
                    "Job",
                    HostileClient.header("x-death", death),
                    0,
                    job("dead"));
            await().atMost(SOON).ignoreExceptions().until(() -> poisoned() == 1);
            assertThat(running.status().usable()).isTrue();
            assertNothingWasLost();
        }
    }

    /** So that a message cannot be kept from a consumer by what its client asks for. */
    @Test
    void brokersSendHeadersInOnePieceHoweverSmallTheFrames() throws Exception {
        String queue = node + "-poison";
        onlooker.onBroker(channel -> channel.queueDeclare(queue, true, false, false, Map.of()));
        byte[] text =
                ByteBuffer.allocate(5 + 100_000).put((byte) 'S').putInt(100_000).array();
        hostile.publish("", queue, "Job", HostileClient.header("large", text), 0, "{}");
        ConnectionFactory client = onlooker.client();
        client.setRequestedFrameMax(8192);
        try (Connection connection = client.newConnection()) {
            assertThat(connection.getFrameMax()).isEqualTo(8192);
            assertThat(connection.createChannel().basicGet(queue, true)).isNotNull();
        }
    }

    @Test
    void nothingAmongTheDeadLettersReachesTheOthers() {
        try (NodeUnderTest running = start()) {
            broker.closeConnection(node + ":dead-letters");
            await().atMost(SOON).until(() -> warned("Connection '" + node + ":dead-letters' lost"));
            assertThat(running.bunny().publish(new Job("good", false)).messageId())
                    .isNotEmpty();
            hostile.publish("safebunny.poison", node + "-dead-letters", "Job", new byte[0], 0, job("dead"));

            await().atMost(SOON).until(() -> handled.contains("good"));
            await().atMost(SOON).ignoreExceptions().until(() -> poisoned() == 1);
            assertThat(warned("Connection '" + node + ":consume' lost")).isFalse();
        }
    }

    private boolean warned(String words) {
        return List.copyOf(warnings.list).stream()
                .anyMatch(event -> event.getFormattedMessage().contains(words));
    }

    /** A flag that says that more flags follow, which do not. */
    @Test
    void aMessageWhoseFlagsGoOnIsHandled() {
        try (NodeUnderTest running = start()) {
            hostile.publish("safebunny", node + "-Job", "Job", new byte[0], 1, job("flagged"));
            assertThat(running.bunny().publish(new Job("good", false)).messageId())
                    .isNotEmpty();

            await().atMost(SOON).until(() -> handled.containsAll(Set.of("flagged", "good")));
            assertNothingWasLost();
        }
    }
}
