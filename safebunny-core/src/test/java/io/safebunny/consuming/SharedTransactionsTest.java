// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.MessageContext;
import io.safebunny.Published;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.breaker.SharedOutcomes;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.WatchedTimeline;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.Grouping;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Messages that share a transaction: whatever happens to one or to all, each is handled once, and pays only for itself. */
class SharedTransactionsTest extends DeliveredTogether {

    /** 2 retries in memory, 1 delayed. */
    private static final RecoveryPolicy POLICY = Node.SIX_ATTEMPTS;

    private final WatchedTimeline timeline = new WatchedTimeline(VirtualTimeline.skipping());
    private final SharingStore store = new SharingStore();
    private final CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
    private final List<String> runs = new ArrayList<>();

    @FunctionalInterface
    private interface Work {
        void run(String order, MessageContext context) throws Exception;
    }

    private SafeBunnyEngine start(Work work) {
        return start(store, POLICY, work);
    }

    /** Each order leaves an effect and publishes, and then does the work. */
    private SafeBunnyEngine start(MessageStore kept, RecoveryPolicy policy, Work work, ContextPropagator... contexts) {
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing").withMaxMessageSize(1_000).withRetention(Node.RETENTION),
                        transport,
                        timeline)
                .store(kept)
                .breakers(breakers)
                .contextPropagators(List.of(contexts))
                .callbacks(Runnable::run)
                .meterRegistry(meters)
                .observationRegistry(observations)
                .build());
        engine.start(List.of(new HandlerDefinition(
                "invoicing.on(OrderPlaced)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                16,
                Grouping.inTransaction(8),
                policy,
                (payload, context) -> {
                    String order = context.messageId();
                    runs.add(order);
                    store.effect(order);
                    Published unused = engine.bunny().publish(new PaymentCaptured(order));
                    work.run(order, context);
                })));
        return engine;
    }

    private MessageRecord stored(String id) {
        return Objects.requireNonNull(
                store.find(new RecordKey(Wires.orderPlaced().envelope().correlationId(), id)));
    }

    private void assertHandledOnce(String... ids) {
        assertThat(store.effects).containsExactlyInAnyOrder(ids);
        assertThat(sent()).containsExactlyInAnyOrder(ids);
        assertThat(ids).allSatisfy(id -> assertThat(stored(id).attempt()).isZero());
    }

    private double shared(String outcome) {
        return meters.get("safebunny.shared")
                .tags("type", "OrderPlaced", "outcome", outcome)
                .counter()
                .count();
    }

    /** The next commit fails. */
    private void breakCommitOf(String... ids) {
        store.commit = () -> {
            throw new IllegalStateException("a constraint that is checked at the commit");
        };
        deliver(ids);
    }

    @Test
    void aGroupIsCommittedOnceAndThenAcknowledged() {
        start((order, context) -> assertThat(deliveries)
                .allSatisfy(each -> assertThat(each.settled()).isZero()));
        deliver("a", "b", "c");

        assertThat(store.commits).isEqualTo(1);
        assertThat(runs).containsExactly("a", "b", "c");
        assertThat(sent()).containsExactly("a", "b", "c");
        assertHandledOnce("a", "b", "c");
        assertAcknowledged();
        assertThat(observed("handled")).isEqualTo(3);
        assertThat(shared("committed")).isEqualTo(3);
        assertThat(meters.get("safebunny.queue.time").timer().count()).isEqualTo(3);
        assertThat(meters.get("safebunny.critical.time").timer().count()).isEqualTo(3);
    }

    @Test
    void nothingIsSentBeforeTheCommit() {
        start((order, context) -> assertThat(transport.attempted()).isEmpty());
        deliver("a", "b");

        assertThat(store.commits).isEqualTo(1);
        assertHandledOnce("a", "b");
    }

    @Test
    void oneThatFailsIsUndoneAloneAndSpendsItsOwnAttempt() {
        start((order, context) -> {
            if (order.equals("b")) {
                throw new IllegalStateException("failed");
            }
        });
        deliver("a", "b", "c");

        assertHandledOnce("a", "c");
        assertThat(runs)
                .as("beside the others, and then as if it had come alone")
                .containsExactly("a", "b", "c", "b", "b", "b");
        assertThat(stored("b").state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored("b").attempt()).isEqualTo(1);
        assertThat(transport.returned()).singleElement().satisfies(copy -> {
            assertThat(copy.message().messageId()).isEqualTo("b");
            assertThat(copy.message().headers()).containsEntry(Headers.ATTEMPT, 1);
        });
        assertAcknowledged();
        assertThat(observed("returned")).as("it left its group").isEqualTo(1);
        assertThat(observed("retried")).isEqualTo(1);
        assertThat(shared("left")).isEqualTo(1);
        assertThat(shared("committed")).isEqualTo(2);
        assertThat(observed("handled")).isEqualTo(2);
    }

    /** Of what failed beside the others nothing is told: it cost nothing. */
    @Test
    void oneThatLeavesTellsOfEachFailedAttemptOnce() {
        start((order, context) -> {
            if (order.equals("b")) {
                throw new IllegalStateException("run " + runs.size());
            }
        });
        deliver("a", "b", "c");

        assertThat(stored("b").trail().failures())
                .extracting(Trail.Failure::text)
                .containsExactly("run 4", "run 5", "run 6");
        assertThat(stored("b").trail().type()).isEqualTo("OrderPlaced");
        assertThat(stored("a").trail().failures()).isEmpty();
        assertThat(stored("a").trail().type()).isEqualTo("OrderPlaced");
    }

    /** Others wait for the end of the transaction. */
    @Test
    void noRetryIsWaitedForWithinTheTransaction() {
        start((order, context) -> {
            if (runs.equals(List.of("a"))) {
                throw new IllegalStateException("the first time only");
            }
        });
        deliver("a", "b");

        assertHandledOnce("a", "b");
        assertThat(runs).containsExactly("a", "b", "a");
        assertThat(timeline.sleeps()).isEmpty();
        assertAcknowledged();
    }

    /** Its handler went on after a failed statement, and returned. */
    @Test
    void oneWhoseWritesCannotBeCommittedIsUndoneAlone() {
        start((order, context) -> store.isSpoilt = runs.equals(List.of("a", "b")));
        deliver("a", "b", "c");

        assertThat(runs).containsExactly("a", "b", "c", "b");
        assertThat(store.commits).isEqualTo(2);
        assertHandledOnce("a", "b", "c");
        assertAcknowledged();
    }

    @Test
    void oneThatBecomesPoisonDoesNotTakeOthersAlong() {
        start(store, Node.ONE_ATTEMPT, (order, context) -> {
            if (order.equals("a")) {
                throw new IllegalStateException("poison");
            }
        });
        deliver("a", "b");

        assertHandledOnce("b");
        assertThat(transport.poisoned()).hasSize(1);
        assertThat(stored("a").state()).isEqualTo(RecordState.POISONED);
        assertAcknowledged();
    }

    @Test
    void whenTheCommitFailsEachIsHandledOnItsOwnAtNoCost() {
        start((order, context) -> {});
        breakCommitOf("a", "b");

        assertThat(runs).containsExactly("a", "b", "a", "b");
        assertThat(store.commits).isEqualTo(3);
        assertHandledOnce("a", "b");
        assertAcknowledged();
    }

    /** All that share it run twice, so it is not tried again at once. */
    @Test
    void afterSeveralTransactionsThatFailedInARowEachMessageIsAloneForAWhile() throws Exception {
        start((order, context) -> {});
        breakCommitOf("a", "b");
        deliver("c", "d");
        for (String first : List.of("e", "g", "i", "k")) {
            breakCommitOf(first, String.valueOf((char) (first.charAt(0) + 1)));
        }
        assertThat(transport.handlerOf(deliveries.get(0)).mostTogether()).isEqualTo(8);

        try (LogLines lines = new LogLines(SharedOutcomes.class.getName())) {
            breakCommitOf("m", "n");
            assertThat(transport.handlerOf(deliveries.get(0)).mostTogether()).isEqualTo(1);
            timeline.sleep(Duration.ofMinutes(1));
            assertThat(transport.handlerOf(deliveries.get(0)).mostTogether()).isEqualTo(8);
            breakCommitOf("o", "p");
            assertThat(transport.handlerOf(deliveries.get(0)).mostTogether()).isEqualTo(1);

            assertThat(lines.texts()).singleElement(as(STRING)).contains("5 shared ones have failed in a row");
        }

        assertThat(shared("broken")).isEqualTo(14);
        assertThat(shared("committed")).isEqualTo(2);
        assertAcknowledged();
    }

    @Test
    void whenTheCommitIsInDoubtAndTookPlaceNothingIsDoneTwice() {
        start((order, context) -> {});
        store.commit = () -> {
            store.write();
            throw new StoreUnavailableException("no answer", null, null);
        };
        deliver("a", "b");

        assertThat(runs).containsExactly("a", "b");
        assertHandledOnce("a", "b");
        assertAcknowledged();
    }

    /** Its savepoint is gone: what was claimed, and not handled, must not count as handled. */
    @Test
    void whenAHandlerCommitsTheTransactionNothingIsLost() {
        start((order, context) -> {
            if (runs.equals(List.of("a", "b"))) {
                store.writeBehindTheBack();
                throw new IllegalStateException("and fails");
            }
        });
        deliver("a", "b", "c");

        assertThat(store.effects).containsOnlyOnce("a", "c").contains("b");
        assertThat(sent()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(List.of("a", "b", "c"))
                .allSatisfy(id -> assertThat(stored(id).attempt()).isZero());
        assertAcknowledged();
    }

    /** Of one that was written again meanwhile nothing follows for the others. */
    @Test
    void whatAHandlerHasCommittedIsFoundForEachMessage() {
        start((order, context) -> {
            if (runs.equals(List.of("a"))) {
                store.writeBehindTheBack();
                MessageRecord unused =
                        store.apart(() -> store.replace(stored("a").next(RecordState.RELEASED)));
            }
        });
        deliver("a", "b", "c");

        assertThat(runs).containsExactly("a", "a", "b", "c");
        assertThat(sent()).containsExactlyInAnyOrder("a", "b", "c");
        assertAcknowledged();
    }

    @Test
    void whenTheyCannotBeClaimedTogetherEachIsHandledOnItsOwn() {
        start((order, context) -> {});
        store.refusesGroups = true;
        deliver("a", "b");

        assertThat(store.commits).isEqualTo(2);
        assertHandledOnce("a", "b");
        assertAcknowledged();
    }

    @Test
    void duplicatesAreSuppressedWithinAGroupAndBetweenGroups() {
        start((order, context) -> {});
        deliver("a", "b", "a");
        deliver("b", "c", "d");

        assertThat(runs).containsExactly("a", "b", "c", "d");
        assertHandledOnce("a", "b", "c", "d");
        assertThat(store.commits).isEqualTo(2);
        assertAcknowledged();
    }

    @Test
    void retriesRedeliveriesAndInvalidMessagesAreHandledOnTheirOwn() {
        start((order, context) -> {});
        RecordedDelivery redelivered =
                new RecordedDelivery(Node.QUEUE, 1, order("r").wire());
        deliveries.add(redelivered);
        transport.deliverTogether(List.of(
                delivery(order("a")),
                delivery(order("t").withHeader(Headers.ATTEMPT, 1)),
                redelivered,
                delivery(order("i").withBody("no JSON")),
                delivery(order("b"))));

        assertThat(runs).containsExactly("a", "b", "t", "r");
        assertThat(store.commits).isEqualTo(3);
        assertThat(transport.poisoned()).hasSize(1);
        assertAcknowledged();
    }

    @Test
    void aTypeThatIsPausedIsNotHandled() {
        start((order, context) -> {});
        breakers.open(OrderPlaced.class, Duration.ofMinutes(1));
        deliver("a", "b");

        assertThat(runs).isEmpty();
    }

    @Test
    void oneMessageHasATransactionOfItsOwn() {
        start((order, context) -> {});
        transport.deliverTogether(
                List.of(delivery(order("a")), delivery(order("i").withBody("no JSON"))));

        assertHandledOnce("a");
        assertAcknowledged();
    }

    /** Steps survive a rollback, so they need a transaction of the message's own. */
    @Test
    void aHandlerWithStepsHandlesEachMessageOnItsOwnFromThenOn() {
        List<String> steps = new ArrayList<>();
        start((order, context) -> context.once("step", () -> {
            steps.add(order);
        }));
        deliver("a", "b");

        assertThat(steps).containsExactly("a", "b");
        assertHandledOnce("a", "b");
        assertThat(transport.handlerOf(deliveries.get(0)).mostTogether()).isEqualTo(1);
        assertAcknowledged();
    }

    @Test
    void whatCannotShareIsToldAtTheStart() {
        try (LogLines lines = new LogLines(SharedPipeline.class.getName())) {
            start(new MemoryMessageStore(timeline, Node.RETENTION), POLICY, (order, context) -> {});
            assertThat(transport.handlerOf(delivery(order("a"))).mostTogether()).isEqualTo(1);

            start(store, POLICY, (order, context) -> {}, message -> () -> {});
            assertThat(transport.handlerOf(delivery(order("a"))).mostTogether()).isEqualTo(1);

            assertThat(lines.texts())
                    .hasSize(2)
                    .allMatch(line -> line.startsWith("Each message of OrderPlaced has a transaction of its own"))
                    .anyMatch(line -> line.contains("Use PostgreSQL"))
                    .anyMatch(line -> line.contains("ContextPropagator"));
        }

        start((order, context) -> {});
        assertThat(transport.handlerOf(delivery(order("a"))).mostTogether()).isEqualTo(8);
    }

    /** The type is paused, and the message comes back as a duplicate, whose record has what is still to be sent. */
    @Test
    void publicationsThatAreNotConfirmedComeBackWithTheirMessage() {
        start((order, context) -> {});
        transport.answerNext(RecordingTransport.SILENCE);
        deliver("a", "b");

        assertThat(runs).containsExactly("a", "b");
        assertThat(sent()).containsExactly("b");
        assertThat(transport.returned())
                .singleElement()
                .satisfies(copy -> assertThat(copy.message().messageId()).isEqualTo("a"));
        assertThat(stored("a").state()).isEqualTo(RecordState.COMPLETED);
        assertAcknowledged();
    }

    @Test
    void whatIsPausedMeanwhileIsNotBegun() {
        start((order, context) -> breakers.open(OrderPlaced.class, Duration.ofMinutes(1)));
        deliver("a", "b");

        assertThat(runs).containsExactly("a");
        assertHandledOnce("a");
        assertThat(stored("b").state()).isEqualTo(RecordState.RELEASED);
    }

    @Test
    void whatIsGoneMeanwhileIsNotBegun() {
        start((order, context) -> {
            RecordedDelivery unused = deliveries.get(1).closed();
        });
        deliver("a", "b");

        assertThat(runs).containsExactly("a");
        assertHandledOnce("a");
        assertThat(deliveries.get(1).settled()).isZero();
    }
}
