// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.TrustedUsers;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.Job;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message under another node's routing key and {@code app_id}: only {@code user_id} tells who sent it. */
@Timeout(90)
class SenderIT {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String PASSWORD = "password";

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final String orders = "orders." + UUID.randomUUID().toString().substring(0, 8);
    private final String billing = orders.replace("orders", "billing");
    private final String evil = orders.replace("orders", "evil");
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    /** Users are called after their nodes. */
    @BeforeEach
    void createUsers() {
        assumeTrue(broker.isPrivate(), "Needs a broker whose users are the test's to change");
        Administration administration = new Administration(broker);
        for (String user : List.of(orders, billing, evil)) {
            administration.setPassword(user, PASSWORD);
            administration.permit(user, ".*");
        }
    }

    @AfterEach
    void cleanUp() {
        if (broker.isPrivate()) {
            Administration administration = new Administration(broker);
            List.of(orders, billing, evil).forEach(administration::deleteUser);
        }
        onlooker.onBroker(channel -> {
            channel.queueDelete(billing + "-Job");
            channel.queueDelete(billing + "-poison");
            channel.queueDelete(billing + "-dead-letters");
        });
    }

    /** Fails each job once, so that it comes back as this node's own copy. */
    private NodeUnderTest consumer(TrustedUsers trusted) {
        return NodeUnderTest.startAs(
                billing,
                PASSWORD,
                trusted,
                options(billing),
                bunny -> List.of(new HandlerDefinition(
                        "sender",
                        "Job",
                        Job.class,
                        List.of(orders),
                        3,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(1, Duration.ofMillis(16))),
                        (payload, context) -> {
                            String id = ((Job) payload).id();
                            if (failed.add(id)) {
                                throw new IllegalStateException("once");
                            }
                            handled.add(id);
                        })));
    }

    private InstanceOptions options(String node) {
        return new InstanceOptions(node, broker, 3, 20, Duration.ZERO, true);
    }

    private void forge(String id, @Nullable String user) throws Exception {
        ConnectionFactory client = onlooker.client();
        client.setUsername(evil);
        client.setPassword(PASSWORD);
        try (Connection connection = client.newConnection("forger")) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            channel.basicPublish(
                    "safebunny",
                    orders + "-Job",
                    true,
                    new BasicProperties.Builder()
                            .messageId(id)
                            .correlationId(UUID.randomUUID().toString())
                            .type("Job")
                            .appId(orders)
                            .userId(user)
                            .build(),
                    "{\"id\":\"%s\",\"kills\":false}".formatted(id).getBytes(StandardCharsets.UTF_8));
            channel.waitForConfirmsOrDie(SOON.toMillis());
        }
    }

    /** The claim that is not made. */
    @Test
    void withoutTrustedUsersAForgedSenderIsBelieved() throws Exception {
        try (NodeUnderTest consumer = consumer(TrustedUsers.UNCHECKED)) {
            forge("forged", null);

            await().atMost(SOON).until(() -> handled.contains("forged"));
            assertThat(consumer.status().usable()).isTrue();
        }
    }

    @Test
    void withTrustedUsersOnlyTheNodeItselfIsBelieved() throws Exception {
        TrustedUsers trusted = new TrustedUsers(Map.of(orders, orders, billing, billing));
        try (NodeUnderTest consumer = consumer(trusted);
                NodeUnderTest sender =
                        NodeUnderTest.startAs(orders, PASSWORD, trusted, options(orders), bunny -> List.of())) {
            forge("anonymous", null);
            forge("honest", evil);
            assertThatThrownBy(() -> forge("impostor", orders)).hasStackTraceContaining("user_id property set to");
            assertThat(sender.bunny().publish(new Job("genuine", false)).messageId())
                    .isNotEmpty();

            await().atMost(SOON).until(() -> handled.contains("genuine"));
            await().atMost(SOON)
                    .untilAsserted(
                            () -> onlooker.onBroker(channel -> assertThat(channel.messageCount(billing + "-poison"))
                                    .isEqualTo(2)));
            assertThat(handled).containsExactly("genuine");
            assertThat(consumer.status().usable()).isTrue();
            onlooker.onBroker(channel -> {
                GetResponse poison = channel.basicGet(billing + "-poison", true);
                assertThat(poison.getProps().getUserId()).isNull();
                assertThat(poison.getProps().getHeaders().get("sb-poison-reason"))
                        .hasToString("missing-property");
                // who replays it must say who stands for it
                channel.basicPublish("safebunny.retry", billing + "-Job", poison.getProps(), poison.getBody());
            });
            await().atMost(SOON)
                    .untilAsserted(
                            () -> onlooker.onBroker(channel -> assertThat(channel.messageCount(billing + "-poison"))
                                    .isEqualTo(2)));
            assertThat(handled).containsExactly("genuine");
        }
    }
}
