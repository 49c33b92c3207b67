// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.fixture.InterveningStore;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.saga.execution.OrderSaga.Capture;
import io.safebunny.saga.execution.OrderSaga.Captured;
import io.safebunny.saga.execution.OrderSaga.PlaceOrder;
import io.safebunny.saga.execution.OrderSaga.Refund;
import io.safebunny.saga.execution.OrderSaga.ReleaseStock;
import io.safebunny.saga.execution.OrderSaga.ReserveStock;
import io.safebunny.saga.execution.OrderSaga.StockReserved;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sagas after something has gone wrong, when a person, the broker or another instance does the next thing. */
class SagaTroubleTest {

    private static final String ID = "order-1";

    private final SagaWorld world = new SagaWorld();
    private final OrderSaga orders = new OrderSaga();
    private final MemoryMessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
    private final InterveningStore intervening = new InterveningStore(store);
    private HandlerInvoker refunding = (payload, context) -> {};
    private HandlerInvoker reserving = (payload, context) -> {
        var unused = world.bunny("warehouse").publish(new StockReserved("1"));
    };

    @BeforeEach
    void start() {
        world.start("storefront", List.of());
        world.start("orders", intervening, List.of(), this.orders);
        world.start(
                "warehouse",
                List.of(
                        SagaWorld.handler(
                                "orders", ReserveStock.class, (payload, context) -> reserving.invoke(payload, context)),
                        SagaWorld.handler(
                                "orders", ReleaseStock.class, (payload, context) -> world.effects.add("release"))));
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {}),
                        SagaWorld.handler("orders", Refund.class, (payload, context) -> {
                            refunding.invoke(payload, context);
                            world.effects.add("refund");
                        })));
    }

    private void place() {
        world.publish("storefront", new PlaceOrder("1", 100), ID);
    }

    private SagaView saga() {
        return world.saga("orders", ID);
    }

    private void getStuck() {
        orders.failing = true;
        place();
        world.pass(Duration.ofMinutes(1));
        orders.failing = false;
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void timeoutsThatCameWhileItWasStuckRunAfterAReplay() {
        getStuck();
        world.pass(OrderSaga.PAYMENT);
        world.replay(world.poison("orders").get(0), "orders-StockReserved");
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("refund", "release");
    }

    @Test
    void aMessageTurnedAwayBeforeTheResumeDoesNotStopTheSagaAfterIt() {
        getStuck();
        List<String> reads = new ArrayList<>();
        intervening.beforeFind(() -> {
            reads.add("read");
            if (reads.size() == 2) { // after the handler, before what is written with the poison record
                resumeElsewhere();
            }
        });

        world.publish("billing", new Captured("1"), ID);

        assertThat(world.poison("orders")).hasSize(2);
        assertThat(world.poison("orders").get(1).headers()).containsEntry("sb-poison-reason", "saga-stuck");
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    private void resumeElsewhere() {
        MessageRecord stored = Objects.requireNonNull(store.find(SagaDocument.key("OrderSaga", ID)));
        SagaDocument read = SagaDocument.read("OrderSaga", stored);
        read.unstick();
        var unused = store.replace(read.write(stored, "another", world.timeline.now(), world.timeline.now()));
    }

    @Test
    void aTimeoutWhoseMessageWasSpentIsSentAnew() {
        place();
        RecordKey token = tokenOfPayment();
        Envelope alarm = alarm(token);
        var spent = store.create(MessageRecord.claim(token, "lost", SagaWorld.LEASE, 0, Fingerprint.of(alarm)));
        var unused = store.replace(spent.completed(List.of()));

        world.pass(OrderSaga.PAYMENT.plus(SagaWorld.LEASE.multipliedBy(2)));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }

    private RecordKey tokenOfPayment() {
        MessageRecord stored = Objects.requireNonNull(store.find(SagaDocument.key("OrderSaga", ID)));
        Timeout timeout = SagaDocument.read("OrderSaga", stored).timeouts().get("payment");
        return new RecordKey(ID, Objects.requireNonNull(timeout).token());
    }

    private Envelope alarm(RecordKey token) {
        return new Envelope(
                token.messageId(),
                ID,
                "BunnyTimeout",
                "orders",
                1,
                null,
                0,
                0,
                0,
                null,
                Map.of(),
                Map.of(),
                "application/json",
                "{\"saga\":\"OrderSaga\",\"name\":\"payment\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void aTimeoutThatEndsItsProcessMakesTheSagaStuckAndNotTheQueueFull() {
        place();
        RecordKey token = tokenOfPayment();
        var unused = store.create(MessageRecord.claim(token, "dead", SagaWorld.LEASE, 0, Fingerprint.of(alarm(token)))
                .withTakeovers(1_000));

        world.pass(OrderSaga.PAYMENT.plus(Duration.ofHours(1)));

        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);
        assertThat(world.poison("orders")).hasSize(1);
        assertThat(world.counted("safebunny.saga", "state", "stuck")).isEqualTo(1);
    }

    @Test
    void aFailedUndoIsNotHiddenByTheSkippingOfAnotherStep() {
        refunding = (payload, context) -> {
            throw new PoisonMessageException("no refund");
        };
        place();
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);

        world.sagas("orders").skip("OrderSaga", ID, "stock", "sold otherwise");
        world.settle();

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga().blockedOn()).hasSize(1);
        refunding = (payload, context) -> {};
        world.sagas("orders").resume("OrderSaga", ID, "mended");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("refund");
    }

    @Test
    void lateNewsOfAMessageThatWasReplayedDoesNotStopIt() {
        List<WireMessage> news = new ArrayList<>();
        world.arrivals = message -> {
            boolean isNews = "BunnyPoisoned".equals(message.message().type());
            if (isNews) {
                news.add(message.message());
            }
            return isNews ? 0 : 1;
        };
        getStuck();
        world.replay(world.poison("orders").get(0), "orders-StockReserved");
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);

        world.arrivals = message -> 1;
        world.replay(news.get(0), "orders-BunnyPoisoned");

        assertThat(EnvelopeReader.read(news.get(0)).correlationId()).isEqualTo(ID);
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    @Test
    void aMethodForNewsThatFailsMakesTheSagaStuckUntilTheNewsIsReplayed() {
        reserving = (payload, context) -> {
            throw new PoisonMessageException("no stock");
        };
        orders.failingAtNews = true;
        place();
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.STUCK);

        orders.failingAtNews = false;
        world.replay(world.poison("orders").get(0), "orders-BunnyPoisoned");

        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(saga().blockedOn()).hasSize(1);
        assertThat(orders.poisoned).hasSize(1);
    }

    @Test
    void sagasThatThisInstanceDoesNotKnowDoNotHoldUpTheOthers() {
        for (int i = 0; i < 150; i++) {
            var unused = store.create(MessageRecord.companion(
                    SagaDocument.key("Removed", "removed-" + i),
                    "another",
                    new Listing("Removed", "ACTIVE", world.timeline.now(), world.timeline.now()),
                    Map.of("saga", "{}")));
        }
        world.losesDelayed = true;
        place();
        world.losesDelayed = false;

        world.pass(OrderSaga.PAYMENT.plus(SagaWorld.LEASE.multipliedBy(2)));

        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void anAlarmThatComesEarlyWaitsForTheRest() {
        place();
        double before = world.counted("safebunny.saga.ignored", "reason", "stale");
        RecordKey token = tokenOfPayment();
        world.replay(alarm(token).toWire(), "orders-BunnyTimeout");

        assertThat(tokenOfPayment()).isEqualTo(token);
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
        world.pass(OrderSaga.PAYMENT);
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);
        assertThat(world.effects).containsExactly("refund", "release");
        assertThat(world.counted("safebunny.saga.ignored", "reason", "stale")).isEqualTo(before);
    }

    /** As its publisher does that has lost the confirm. */
    @Test
    void anotherCopyOfAMessageThatWasTurnedAwayDoesNotStopTheSagaAfterTheResume() {
        getStuck();
        List<WireMessage> captured = new ArrayList<>();
        world.arrivals = message -> {
            if ("Captured".equals(message.message().type()) && captured.isEmpty()) {
                captured.add(message.message());
            }
            return 1;
        };
        world.publish("billing", new Captured("1"), ID);
        world.sagas("orders").resume("OrderSaga", ID, "without it");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);

        world.pass(Duration.ofSeconds(1));
        Map<String, Object> headers = new HashMap<>(captured.get(0).headers());
        headers.put("sb-sent-at", world.timeline.now().toEpochMilli());
        world.replay(captured.get(0).withHeaders(headers), "orders-Captured");

        assertThat(world.poison("orders").get(2).headers()).containsEntry("sb-poison-reason", "set-aside-before");
        assertThat(saga().history())
                .filteredOn(event -> event.what().contains("Captured"))
                .hasSize(2);
        assertThat(saga().status()).isEqualTo(SagaStatus.ACTIVE);
    }

    @Test
    void anUndoThatFailsAgainIsToldAgainAlsoWithoutARecord() {
        world.stop("billing");
        world.start(
                "billing",
                (MessageStore) null,
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {}),
                        SagaWorld.handler(
                                "orders", Refund.class, (payload, context) -> refunding.invoke(payload, context))));
        refunding = (payload, context) -> {
            throw new PoisonMessageException("no refund");
        };
        place();
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.pass(Duration.ofMinutes(1));
        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);

        world.sagas("orders").retry("OrderSaga", ID, "perhaps now");
        world.pass(Duration.ofMinutes(1));

        assertThat(saga().status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(saga().blockedOn()).hasSize(1);
    }

    /** Both copies of a message that arrives twice are set aside, the second one as recorded before, which is another reason. */
    @Test
    void ofAMessageThatIsSetAsideTwiceTheSagaLearnsOnce() {
        refunding = (payload, context) -> {
            throw new PoisonMessageException("no refund");
        };
        world.arrivals = message -> message.route().routingKey().equals("orders-Refund") ? 2 : 1;
        place();
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.pass(Duration.ofMinutes(1));

        assertThat(world.poison("billing")).hasSize(2);
        assertThat(world.poison("orders")).isEmpty();
        assertThat(saga().blockedOn()).singleElement().satisfies(blocked -> assertThat(blocked.reason())
                .isEqualTo("handler-failed"));
        assertThat(saga().history())
                .filteredOn(event -> event.what().contains("was set aside"))
                .hasSize(1);
    }

    @Test
    void aCommandIsNotSentAgainOnceItsSagaIsUndone() {
        List<String> captures = new ArrayList<>();
        world.stop("billing");
        world.start(
                "billing",
                List.of(
                        SagaWorld.handler("orders", Capture.class, (payload, context) -> {
                            captures.add("capture");
                            throw new PoisonMessageException("no account");
                        }),
                        SagaWorld.handler(
                                "orders", Refund.class, (payload, context) -> refunding.invoke(payload, context))));
        place();
        assertThat(saga().blockedOn()).hasSize(1);
        world.sagas("orders").fail("OrderSaga", ID, "given up");
        world.settle();
        assertThat(saga().status()).isEqualTo(SagaStatus.FAILED);

        world.sagas("orders").retry("OrderSaga", ID, "too late");
        world.settle();

        assertThat(captures).hasSize(1);
        assertThat(saga().blockedOn()).isEmpty();
    }
}
