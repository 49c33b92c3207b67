// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.GetResponse;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.rabbit.instance.InstanceOptions;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import io.safebunny.test.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A saga and its participants, nodes of their own, on a real broker. */
@Timeout(120)
class SagaIT {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final List<String> NODES = List.of("it-shop", "it-stock", "it-bank");
    private static final List<String> TYPES = List.of(
            "Buy",
            "Reserve",
            "Release",
            "Reserved",
            "Charge",
            "Refund",
            "Charged",
            "poison",
            "dead-letters",
            "poison-watch",
            "BunnyTimeout",
            "BunnyUndone",
            "BunnyPoisoned",
            "BunnyRepair");

    record Buy(String id, long millis) {}

    record Reserve(String id) {}

    record Release(String id) {}

    record Reserved(String id) {}

    record Charge(String id) {}

    record Refund(String id) {}

    record Charged(String id) {}

    @BunnySaga
    static final class Purchase {

        record State(String id) {}

        @Starts
        @BunnyHandler(from = "it-shop")
        State on(Buy buy, SagaContext saga) {
            saga.timeout("payment", Duration.ofMillis(buy.millis()));
            saga.step("reserve", new Reserve(buy.id()), new Release(buy.id()));
            return new State(buy.id());
        }

        @BunnyHandler(from = "it-stock")
        void on(Reserved reserved, State state, SagaContext saga) {
            saga.step("pay", new Charge(state.id()), new Refund(state.id()));
        }

        @BunnyHandler(from = "it-bank")
        void on(Charged charged, SagaContext saga) {
            saga.complete();
        }

        @OnTimeout("payment")
        void late(SagaContext saga) {
            saga.fail("no payment");
        }
    }

    private final TestBroker broker = TestBroker.shared();
    private final Onlooker onlooker = new Onlooker(broker);
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final String run = UUID.randomUUID().toString().substring(0, 8);
    private volatile Consumer<Charge> charging = charge -> {};
    private volatile boolean answers = true;
    private final List<NodeUnderTest> nodes = new ArrayList<>();
    private NodeUnderTest shop;

    @BeforeEach
    void start() {
        deleteQueues();
        start(
                "it-stock",
                bunny -> List.of(
                        command(Reserve.class, (payload, context) -> {
                            note("reserve", ((Reserve) payload).id());
                            bunny.publish(new Reserved(((Reserve) payload).id()));
                        }),
                        command(Release.class, (payload, context) -> note("release", ((Release) payload).id()))));
        start(
                "it-bank",
                bunny -> List.of(
                        command(Charge.class, (payload, context) -> {
                            charging.accept((Charge) payload);
                            note("charge", ((Charge) payload).id());
                            if (answers) {
                                bunny.publish(new Charged(((Charge) payload).id()));
                            }
                        }),
                        command(Refund.class, (payload, context) -> note("refund", ((Refund) payload).id()))));
        shop = start("it-shop", bunny -> List.of(), new Purchase());
    }

    @AfterEach
    void end() {
        nodes.forEach(NodeUnderTest::close);
        deleteQueues();
    }

    private NodeUnderTest start(String node, Function<Bunny, List<HandlerDefinition>> handlers, Object... sagas) {
        NodeUnderTest started = NodeUnderTest.startAs(
                broker.username(),
                broker.password(),
                new InstanceOptions(node, broker, 10, 20, Duration.ZERO, true),
                handlers,
                sagas);
        nodes.add(started);
        return started;
    }

    private static HandlerDefinition command(Class<?> payload, HandlerInvoker handler) {
        return new HandlerDefinition(
                "saga test",
                payload.getSimpleName(),
                payload,
                List.of("it-shop"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                handler);
    }

    private void note(String what, String id) {
        effects.add(what + ' ' + id);
    }

    private void deleteQueues() {
        onlooker.onBroker(channel -> {
            for (String node : NODES) {
                for (String type : TYPES) {
                    channel.queueDelete(node + '-' + type);
                }
            }
        });
    }

    private String buy(String id, Duration payWithin) {
        String sagaId = run + '-' + id;
        shop.bunny()
                .publish(
                        new Buy(id, payWithin.toMillis()), PublishOptions.none().withCorrelationId(sagaId));
        return sagaId;
    }

    private SagaView saga(String sagaId) {
        return shop.sagas().find("Purchase", sagaId).orElseThrow();
    }

    private void awaitStatus(String sagaId, SagaStatus status) {
        await().atMost(SOON)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(saga(sagaId).status()).isEqualTo(status));
    }

    private void awaitBlockedOnCharge(String sagaId) {
        await().atMost(SOON).ignoreExceptions().untilAsserted(() -> assertThat(
                        saga(sagaId).blockedOn())
                .extracting(BlockedOn::type, BlockedOn::node, BlockedOn::reason)
                .containsExactly(tuple("Charge", "it-bank", "handler-failed")));
    }

    private long length(String queue) {
        long[] length = {0};
        onlooker.onBroker(channel -> length[0] = channel.messageCount(queue));
        return length[0];
    }

    @Test
    void runsToItsEndOrIsUndoneInReverseWhenItsTimeoutComesByTheLadder() {
        String good = buy("good", Duration.ofMinutes(10));
        awaitStatus(good, SagaStatus.COMPLETED);
        assertThat(effects).containsExactly("reserve good", "charge good");
        effects.clear();
        answers = false;

        String late = buy("late", Duration.ofSeconds(2));

        awaitStatus(late, SagaStatus.FAILED);
        assertThat(effects).containsExactly("reserve late", "charge late", "refund late", "release late");
        assertThat(saga(late).reason()).isEqualTo("no payment");
    }

    @Test
    void learnsThatItsCommandWasSetAsideAndGoesOnWhenThatIsReplayed() {
        charging = charge -> {
            throw new PoisonMessageException("the bank is closed");
        };
        String replayed = buy("replayed", Duration.ofMinutes(10));
        awaitBlockedOnCharge(replayed);
        String retried = buy("retried", Duration.ofMinutes(10));
        awaitBlockedOnCharge(retried);
        charging = charge -> {};

        shop.sagas().retry("Purchase", retried, "the bank is open");
        awaitStatus(retried, SagaStatus.COMPLETED);
        assertThat(saga(replayed).status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(length("it-bank-poison")).isEqualTo(2);
        onlooker.onBroker(channel -> {
            for (int i = 0; i < 2; i++) { // the one that was sent again, too, which is a duplicate by now
                GetResponse copy = channel.basicGet("it-bank-poison", true);
                channel.basicPublish("safebunny.retry", "it-bank-Charge", copy.getProps(), copy.getBody());
            }
        });

        awaitStatus(replayed, SagaStatus.COMPLETED);
        assertThat(saga(replayed).blockedOn()).isEmpty();
        await().atMost(SOON).until(() -> length("it-bank-Charge") == 0);
        assertThat(effects)
                .containsExactlyInAnyOrder("reserve replayed", "reserve retried", "charge replayed", "charge retried");
    }

    @Test
    void losesNothingWhenThePoisonQueueOfAParticipantIsDeletedThoughItIsWatched() {
        charging = charge -> {
            throw new PoisonMessageException("the bank is closed");
        };
        onlooker.onBroker(channel -> channel.queueDelete("it-bank-poison"));

        List<String> blocked = IntStream.range(0, 5)
                .mapToObj(i -> buy("b" + i, Duration.ofMinutes(10)))
                .toList();

        await().atMost(SOON).ignoreExceptions().until(() -> length("it-bank-poison") == 5);
        blocked.forEach(this::awaitBlockedOnCharge);
        assertThat(length("it-shop-poison-watch")).isZero();
    }
}
