// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static io.safebunny.cosmos.CosmosAccount.claim;
import static io.safebunny.cosmos.CosmosAccount.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosClientBuilder;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.store.JointWrite;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.database.CosmosProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** Reads show the past: the session token is lost, and a replica answers that is behind. Claims are decided by writes alone. */
@Tag("once")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CosmosStaleReadsIT {

    /** Longer than any test. */
    private static final Duration FOR_EVER = Duration.ofDays(1);

    private final CosmosProxy proxy = CosmosProxy.before(CosmosAccount.server());
    private final CosmosAsyncClient client =
            CosmosAccount.builder(proxy.endpoint()).buildAsyncClient();
    private final CosmosAsyncClient otherClient =
            CosmosAccount.builder(proxy.endpoint()).buildAsyncClient();
    private final CosmosAsyncContainer container =
            CosmosContainers.open(client, CosmosAccount.options(CosmosAccount.newName()));
    private final CosmosMessageStore store = store(container);
    private final CosmosMessageStore other =
            store(otherClient.getDatabase(CosmosAccount.DATABASE).getContainer(container.getId()));

    private static CosmosMessageStore store(CosmosAsyncContainer container) {
        return new CosmosMessageStore(
                container, CosmosAccount.RETENTION, CosmosAccount.TIMEOUT, new SimpleMeterRegistry());
    }

    @AfterEach
    void heal() {
        proxy.heal();
    }

    @AfterAll
    void close() {
        container.delete().block();
        client.close();
        otherClient.close();
        proxy.close();
    }

    private MessageRecord seen(RecordKey key) {
        return Objects.requireNonNull(other.find(key));
    }

    @Test
    void aClaimThatNoReadShowsYetIsNotGivenToAnotherOne() {
        proxy.lag(FOR_EVER);
        RecordKey key = key();
        MessageRecord claimed = store.create(claim(key));
        assertThat(other.find(key)).isNull();

        assertThatThrownBy(() -> other.create(claim(key))).isInstanceOf(StoreUnavailableException.class);

        proxy.heal();
        assertThat(seen(key).etag()).isEqualTo(claimed.etag());
    }

    @Test
    void whatAReadShowsOfThePastCannotBeReplaced() {
        MessageRecord claimed = store.create(claim(key()));
        proxy.lag(FOR_EVER);
        MessageRecord released = Objects.requireNonNull(store.replace(claimed.next(RecordState.RELEASED)));

        MessageRecord past = other.create(claim(claimed.key()));
        assertThat(past.state()).isEqualTo(RecordState.CLAIMED);
        assertThat(other.replace(past.next(RecordState.CLAIMED))).isNull();
        assertThat(other.replace(past.next(RecordState.COMPLETED))).isNull();

        proxy.heal();
        assertThat(seen(claimed.key()).etag()).isEqualTo(released.etag());
    }

    @Test
    void whatIsWrittenTogetherWithSomethingOfThePastIsNotWritten() {
        String partition = UUID.randomUUID().toString();
        MessageRecord saga = store.create(claim(new RecordKey(partition, "saga")));
        MessageRecord message = store.create(claim(new RecordKey(partition, "message")));
        proxy.lag(FOR_EVER);
        MessageRecord changed = Objects.requireNonNull(store.replace(saga.next(RecordState.RELEASED)));

        JointWrite result = other.writeTogether(List.of(
                seen(message.key()).next(RecordState.COMPLETED),
                seen(saga.key()).next(RecordState.COMPLETED)));

        assertThat(result).isEqualTo(new JointWrite.Overtaken(saga.key()));
        proxy.heal();
        assertThat(seen(message.key()).state()).isEqualTo(RecordState.CLAIMED);
        assertThat(seen(saga.key()).etag()).isEqualTo(changed.etag());
    }

    @Test
    void effectsHappenOnceWhileAllReadsAreHalfASecondBehind() throws Exception {
        String node = "stale-" + UUID.randomUUID().toString().substring(0, 8);
        TestBroker shared = TestBroker.shared();
        TestBroker broker = shared.isPrivate() ? shared.createVirtualHost(node) : shared;
        ApplicationContextRunner instances = new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withBean(CosmosClientBuilder.class, () -> CosmosAccount.builder(proxy.endpoint()))
                .withPropertyValues(
                        "spring.application.name=" + node,
                        "test.node=" + node,
                        "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                        "spring.rabbitmq.username=" + broker.username(),
                        "spring.rabbitmq.password=" + broker.password(),
                        "spring.rabbitmq.virtual-host=" + broker.virtualHost(),
                        "safebunny.store.type=cosmos",
                        "spring.cloud.azure.cosmos.database=" + CosmosAccount.DATABASE,
                        "safebunny.dedup.lease=3s",
                        "safebunny.circuit-breaker.wait-duration-in-open-state=1s",
                        "safebunny.retry.max-retries=0",
                        "safebunny.delayed-retry.delays=0s,0s,0s");
        Effects effects = new Effects();
        ApplicationContextRunner billing =
                instances.withBean(Effects.class, () -> effects).withBean(Handler.class);
        List<String> ids = IntStream.range(0, 30)
                .mapToObj(i -> UUID.randomUUID().toString())
                .toList();
        billing.run(first -> billing.run(second -> {
            assertThat(first).hasNotFailed();
            assertThat(second).hasNotFailed();
            proxy.lag(Duration.ofMillis(500));
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(broker.uri());
            try (Connection connection = factory.newConnection("plain-client");
                    Channel channel = connection.createChannel()) {
                for (int copy = 0; copy < 3; copy++) {
                    for (String id : ids) {
                        channel.basicPublish("safebunny", node + "-Order", properties(node, id), body(id));
                    }
                }
                Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                    assertThat(effects.invoiced).containsOnlyKeys(ids);
                    for (String queue : List.of("-Order", "-Invoiced")) {
                        assertThat(channel.messageCount(node + queue)).isZero();
                    }
                });
            }
        }));
        assertThat(effects.charged).containsOnlyKeys(ids).allSatisfy((id, times) -> assertThat(times)
                .hasValue(1));
        assertThat(effects.handled).containsOnlyKeys(ids).allSatisfy((id, times) -> assertThat(times)
                .hasValue(1));
        assertThat(effects.invoiced).allSatisfy((id, times) -> assertThat(times).hasValue(1));
    }

    private static BasicProperties properties(String node, String id) {
        return new BasicProperties.Builder()
                .messageId(id)
                .correlationId(id)
                .type("Order")
                .appId(node)
                .contentType("application/json")
                .build();
    }

    private static byte[] body(String id) {
        return ("{\"id\": \"" + id + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    record Order(String id) {}

    record Invoiced(String id) {}

    /** Of both instances, by order. */
    static final class Effects {

        final Map<String, AtomicInteger> charged = new ConcurrentHashMap<>();
        final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
        final Map<String, AtomicInteger> invoiced = new ConcurrentHashMap<>();

        static int count(Map<String, AtomicInteger> effects, String id) {
            return effects.computeIfAbsent(id, none -> new AtomicInteger()).incrementAndGet();
        }
    }

    static final class Handler {

        private final Effects effects;
        private final Bunny bunny;

        Handler(Effects effects, Bunny bunny) {
            this.effects = effects;
            this.bunny = bunny;
        }

        /** Fails after its step at the first attempt, so that another one must find the result of the step. */
        @BunnyHandler(from = "${test.node}")
        void on(Order order, MessageContext context) {
            context.once("charge", Integer.class, () -> Effects.count(effects.charged, order.id()));
            bunny.publish(new Invoiced(order.id()));
            if (context.attempt() == 0) {
                throw new IllegalStateException("not yet");
            }
            Effects.count(effects.handled, order.id());
        }

        @BunnyHandler(from = "${test.node}")
        void on(Invoiced invoiced) {
            Effects.count(effects.invoiced, invoiced.id());
        }
    }
}
