// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.safebunny.Bunny;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.MessageContext;
import io.safebunny.Published;
import io.safebunny.ThrottledException;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
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
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handling.MessageScope;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.Headers;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.ContextPropagator;
import io.safebunny.middleware.Next;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** Batches: whatever happens to one message or to all, each is handled once, pays only for itself, and publishes with the same ids. */
class BatchHandlersTest extends DeliveredTogether {

    private final VirtualTimeline time = VirtualTimeline.skipping();
    private final WatchedTimeline timeline = new WatchedTimeline(time);
    private final SharingStore transactional = new SharingStore();
    private final MemoryMessageStore plain = new MemoryMessageStore(timeline, Node.RETENTION);
    private final MessageScope scope = new MessageScope();
    private final CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
    private final List<String> calls = new ArrayList<>();
    private final List<ConsumeMiddleware> middlewares = new ArrayList<>();
    private final List<ContextPropagator> contexts = new ArrayList<>();
    private final ObservationRegistry observations = ObservationRegistry.create();
    private @Nullable MessageStore store = transactional;
    private RecoveryPolicy policy = Node.SIX_ATTEMPTS;
    /** Whether calls, effects and publications are those of {@link #start}. */
    private boolean isRecording = true;

    enum Kind {
        TRANSACTIONAL,
        PLAIN,
        NONE
    }

    @FunctionalInterface
    private interface Work {
        void run(String batch, List<? extends MessageContext> contexts, Bunny bunny) throws Exception;
    }

    private void use(Kind kind) {
        store = switch (kind) {
            case TRANSACTIONAL -> transactional;
            case PLAIN -> plain;
            case NONE -> null;
        };
    }

    /** Each order leaves an effect and publishes, and then the work is done; ids are single letters. */
    private SafeBunnyEngine start(Work work) {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        SafeBunnyParts.Builder parts = SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing").withMaxMessageSize(1_000).withRetention(Node.RETENTION),
                        transport,
                        timeline)
                .breakers(breakers)
                .scope(scope)
                .consumeMiddlewares(middlewares)
                .contextPropagators(contexts)
                .callbacks(Runnable::run)
                .meterRegistry(meters)
                .observationRegistry(observations);
        SafeBunnyEngine engine = new SafeBunnyEngine((store == null ? parts : parts.store(store)).build());
        engine.start(List.of(new HandlerDefinition(
                "invoicing.on(List)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                128,
                Grouping.inBatch(64),
                policy,
                new HandlerInvoker() {
                    @Override
                    public void invoke(Object payload, MessageContext context) throws Exception {
                        invokeBatch(List.of(payload), List.of(context));
                    }

                    @Override
                    public void invokeBatch(List<Object> payloads, List<? extends MessageContext> all)
                            throws Exception {
                        assertThat(payloads).hasSameSizeAs(all);
                        StringBuilder batch = new StringBuilder();
                        for (MessageContext context : all) {
                            batch.append(context.messageId());
                            if (isRecording) {
                                transactional.effect(context.messageId());
                                Published unused =
                                        context.publisher().publish(new PaymentCaptured(context.messageId()));
                            }
                        }
                        if (isRecording) {
                            calls.add(batch.toString());
                        }
                        work.run(batch.toString(), all, engine.bunny());
                    }
                })));
        return engine;
    }

    private MessageRecord stored(String id) {
        return Objects.requireNonNull(Objects.requireNonNull(store)
                .find(new RecordKey(Wires.orderPlaced().envelope().correlationId(), id)));
    }

    private Map<String, String> idsByCause() {
        Map<String, String> ids = new LinkedHashMap<>();
        transport
                .published()
                .forEach(message -> ids.put(
                        causeOf(message),
                        Objects.requireNonNull(message.message().messageId())));
        return ids;
    }

    private void assertHandledOnce(String... ids) {
        if (store == transactional) {
            assertThat(transactional.effects).containsExactlyInAnyOrder(ids);
        }
        assertThat(sent()).containsExactlyInAnyOrder(ids);
        if (store != null) {
            assertThat(ids).allSatisfy(id -> assertThat(stored(id).attempt()).isZero());
        }
        assertAcknowledged();
    }

    private static void failWith(String order, String batch) {
        if (batch.contains(order)) {
            throw new IllegalStateException("failed because of " + order);
        }
    }

    /** It was given back at no cost after it had failed in memory, so that it may be in a batch. */
    @Test
    void whatARecordToldBeforeIsKeptWhenItsBatchIsHandled() {
        use(Kind.PLAIN);
        Trail.Failure before =
                new Trail.Failure(VirtualTimeline.START, "", 1, "java.io.IOException", "the bank was away", null);
        MessageRecord claim = plain.create(MessageRecord.claim(
                new RecordKey(Wires.CORRELATION_ID, "b"),
                "another",
                Duration.ofSeconds(30),
                0,
                Fingerprint.of(order("b").envelope()),
                Trail.of("OrderPlaced").with(List.of(before))));
        assertThat(plain.replace(claim.next(RecordState.RELEASED))).isNotNull();
        start((batch, contexts, bunny) -> {});
        deliver("a", "b");

        assertThat(calls).containsExactly("ab");
        assertThat(stored("a").trail()).isEqualTo(Trail.of("OrderPlaced"));
        assertThat(stored("b").trail().failures()).containsExactly(before);
    }

    @ParameterizedTest
    @EnumSource
    void aBatchIsOneCall(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {
            assertThat(deliveries).allSatisfy(each -> assertThat(each.settled()).isZero());
            assertThat(transport.attempted()).isEmpty();
            assertThat(MDC.get("safebunny.type")).isEqualTo("OrderPlaced");
            assertThat(MDC.get("safebunny.messageId")).isNull();
        });
        deliver("a", "b", "c");

        assertThat(calls).containsExactly("abc");
        assertThat(sent()).containsExactly("a", "b", "c");
        assertHandledOnce("a", "b", "c");
        assertThat(transactional.commits).isEqualTo(kind == Kind.TRANSACTIONAL ? 1 : 0);
        assertThat(observed("handled")).isEqualTo(3);
        assertThat(meters.get("safebunny.queue.time").timer().count()).isEqualTo(3);
        assertThat(meters.get("safebunny.critical.time").timer().count()).isEqualTo(3);
        assertThat(MDC.get("safebunny.type")).isNull();
    }

    /** Innocent ones are charged nothing; it is decided about the one that fails as if it had come alone. */
    @ParameterizedTest
    @EnumSource
    void aBatchThatFailsIsSplitUntilTheOneIsAlone(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> failWith("c", batch));
        deliver("a", "b", "c", "d", "e", "f", "g", "h");

        assertThat(calls)
                .as("halves; and the one that fails has its retries")
                .containsExactly("abcdefgh", "abcd", "ab", "cd", "efgh", "c", "c", "c", "d");
        assertThat(sent()).containsExactlyInAnyOrder("a", "b", "d", "e", "f", "g", "h");
        assertThat(transport.returned()).singleElement().satisfies(copy -> {
            assertThat(copy.message().messageId()).isEqualTo("c");
            assertThat(copy.message().headers()).containsEntry(Headers.ATTEMPT, 1);
        });
        assertAcknowledged();
        if (kind == Kind.TRANSACTIONAL) {
            assertThat(transactional.effects).containsExactlyInAnyOrder("a", "b", "d", "e", "f", "g", "h");
        }
        if (kind != Kind.NONE) {
            assertThat(stored("c").state()).isEqualTo(RecordState.RELEASED);
            assertThat(stored("c").attempt()).isEqualTo(1);
            assertThat(List.of("a", "b", "d", "e", "f", "g", "h"))
                    .allSatisfy(id -> assertThat(stored(id).attempt()).isZero());
        }
        assertThat(observed("retried")).isEqualTo(1);
        assertThat(observed("handled")).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource
    void twoThatFailAreFoundWhereverTheyAre(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        start((batch, contexts, bunny) -> {
            failWith("a", batch);
            failWith("h", batch);
        });
        deliver("a", "b", "c", "d", "e", "f", "g", "h");

        assertThat(transport.poisoned())
                .extracting(copy -> copy.message().messageId())
                .containsExactly("a", "h");
        assertHandledOnce("b", "c", "d", "e", "f", "g");
    }

    /** In an outage, splitting would only call the handler in vain. */
    @ParameterizedTest
    @EnumSource
    void aBatchOfWhichEverythingFailsIsNotSplitForEver(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        start((batch, contexts, bunny) -> {
            throw new IllegalStateException("all fail");
        });
        deliver("a", "b", "c", "d", "e", "f", "g", "h");

        assertThat(calls.stream().filter(batch -> batch.length() == 1)).hasSize(8);
        assertThat(calls).hasSizeLessThanOrEqualTo(8 + 9);
        assertThat(transport.poisoned()).hasSize(8);
        assertThat(sent()).isEmpty();
        assertAcknowledged();
    }

    /** The heart: after a crash the same messages come in other batches. */
    @Test
    void idsAreTheSameInEveryBatch() {
        Work two = (batch, contexts, bunny) -> contexts.forEach(context -> {
            Published unused = context.publisher().publish(new PaymentCaptured(context.messageId()));
        });
        store = null;
        start(two);
        deliver("a", "b", "c");
        Map<String, String> together = idsByCause();
        List<String> all = transport.published().stream()
                .map(message -> message.message().messageId())
                .toList();
        assertThat(all).doesNotHaveDuplicates().hasSize(6);

        deliver("b");
        deliver("c", "a");
        assertThat(calls).containsExactly("abc", "b", "ca");
        assertThat(idsByCause()).isEqualTo(together);
        assertThat(transport.published().stream()
                        .map(message -> message.message().messageId())
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(all);
    }

    /** The same method may be that of a handler of single messages before and after an upgrade. */
    @Test
    void publicationsHaveTheIdsThatTheyWouldHaveWithoutBatches() {
        start((batch, contexts, bunny) -> {});
        deliver("a", "b");
        Map<String, String> ids = idsByCause();

        RecordingTransport other = new RecordingTransport();
        SafeBunnyEngine single = new SafeBunnyEngine(
                SafeBunnyParts.builder(SafeBunnyOptions.of("billing").withMaxMessageSize(1_000), other, timeline)
                        .callbacks(Runnable::run)
                        .build());
        single.start(List.of(new HandlerDefinition(
                "invoicing.on(OrderPlaced)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders"),
                16,
                policy,
                (payload, context) -> {
                    Published unused = single.bunny().publish(new PaymentCaptured(context.messageId()));
                })));
        other.deliver(new RecordedDelivery(Node.QUEUE, order("a").wire()));
        assertThat(other.published())
                .singleElement()
                .satisfies(message -> assertThat(message.message().messageId()).isEqualTo(ids.get("a")));
    }

    @ParameterizedTest
    @EnumSource
    void whatAMessageCausesIsInItsTrace(Kind kind) {
        use(kind);
        Map<String, String> causes = new LinkedHashMap<>();
        observations.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStart(Observation.Context context) {
                ObservationView parent = context.getParentObservation();
                if ("safebunny.create".equals(context.getName()) && parent != null) {
                    causes.put(idOf(parent), String.valueOf(MDC.get("safebunny.messageId")));
                }
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        start((batch, contexts, bunny) -> {});
        deliver("a", "b");

        assertThat(causes).isEqualTo(Map.of("a", "a", "b", "b"));
    }

    private static String idOf(ObservationView handling) {
        return Objects.requireNonNull(handling.getContextView().getHighCardinalityKeyValue("messaging.message.id"))
                .getValue();
    }

    private static void assertSaysWhatToDo(Throwable refused) {
        assertThat(refused)
                .isInstanceOf(InvalidPublicationException.class)
                .hasMessageContaining("List<MessageContext>")
                .hasMessageContaining("contexts.get(i).publisher()");
    }

    private void assertAllArePoison(String... ids) {
        assertThat(transport.poisoned())
                .extracting(copy -> copy.message().messageId())
                .containsExactly(ids);
        assertThat(sent()).isEmpty();
        assertThat(transactional.effects).isEmpty();
        assertAcknowledged();
    }

    /** Whatever the handler makes of it; otherwise a message would be handled without what was to follow from it. */
    @ParameterizedTest
    @EnumSource
    void whoeverPublishesMustSayForWhichMessageAlsoAlone(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        List<Throwable> refused = new ArrayList<>();
        start((batch, contexts, bunny) -> {
            try {
                Published unused = bunny.publish(new PaymentCaptured("x"));
            } catch (InvalidPublicationException e) {
                refused.add(e);
            }
        });
        deliver("a", "b");

        assertThat(calls).containsExactly("ab", "a", "b");
        assertThat(refused).hasSize(3).allSatisfy(BatchHandlersTest::assertSaysWhatToDo);
        assertAllArePoison("a", "b");
    }

    /** Of a transaction that the handler opens; Spring swallows what it throws. */
    @ParameterizedTest
    @EnumSource
    void aListenerMustSayForWhichMessageAlsoAlone(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        start((batch, contexts, bunny) -> TransactionSynchronizationUtils.invokeAfterCompletion(
                List.of(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        Published unused = bunny.publish(new PaymentCaptured("x"));
                    }
                }),
                TransactionSynchronization.STATUS_COMMITTED));
        deliver("a", "b");

        assertThat(calls).containsExactly("ab", "a", "b");
        assertAllArePoison("a", "b");
    }

    @ParameterizedTest
    @EnumSource
    void aFutureAtWhichNobodyLooksFailsTheCall(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        List<CompletableFuture<Published>> refused = new ArrayList<>();
        start((batch, contexts, bunny) -> refused.add(bunny.publishAsync(new PaymentCaptured("x"))));
        deliver("a");

        assertThat(refused).singleElement().satisfies(future -> assertThat(future)
                .failsWithin(Duration.ZERO));
        assertAllArePoison("a");
    }

    /** The retry in memory must not hide what a middleware was refused before. */
    @ParameterizedTest
    @EnumSource
    void whatAMiddlewareIsRefusedFailsItsMessage(Kind kind) {
        use(kind);
        List<Bunny> bunnies = new ArrayList<>();
        middlewares.add((context, next) -> {
            Throwable refused = catchThrowable(() -> bunnies.get(0).publish(new PaymentCaptured("x")));
            assertSaysWhatToDo(refused);
            next.run();
        });
        bunnies.add(start((batch, contexts, bunny) -> {
                    if (calls.size() == 1) {
                        throw new IllegalStateException("at first");
                    }
                })
                .bunny());
        deliver("a");

        assertThat(calls).containsExactly("a", "a");
        assertThat(sent()).isEmpty();
        assertThat(transport.returned()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void publishNowSendsAtOnce(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {
            Published sent = contexts.get(1).publisher().publishNow(new PaymentCaptured("n"));
            assertThat(sent.isDropped()).isFalse();
            assertThat(sent()).containsExactly("n");
        });
        deliver("a", "b");

        assertThat(sent()).containsExactly("n", "a", "b");
    }

    @Test
    void stepsAreRefusedAlsoAlone() {
        policy = Node.ONE_ATTEMPT;
        List<Throwable> refused = new ArrayList<>();
        start((batch, contexts, bunny) -> {
            try {
                contexts.get(0).once("step", () -> {});
            } catch (MisuseException e) {
                refused.add(e);
            }
        });
        deliver("a", "b");

        assertThat(refused).hasSize(3).allSatisfy(e -> assertThat(e).hasMessageContaining("one message at a time"));
        assertAllArePoison("a", "b");
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "PLAIN"})
    void duplicatesAreLeftOut(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {});
        deliver("a", "b", "a");
        deliver("b", "c", "d");

        assertThat(calls).containsExactly("ab", "cd");
        assertHandledOnce("a", "b", "c", "d");
        assertThat(meters.get("safebunny.dedup").tag("outcome", "hit").counter().count())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void retriesRedeliveriesAndInvalidMessagesAreAlone(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {});
        RecordedDelivery redelivered =
                new RecordedDelivery(Node.QUEUE, 1, order("r").wire());
        deliveries.add(redelivered);
        transport.deliverTogether(List.of(
                delivery(order("a")),
                delivery(order("t").withHeader(Headers.ATTEMPT, 1)),
                redelivered,
                delivery(order("i").withBody("no JSON")),
                delivery(order("b"))));

        assertThat(calls).containsExactly("ab", "t", "r");
        assertThat(transport.poisoned()).hasSize(1);
        assertAcknowledged();
    }

    @Test
    void whenTheCommitFailsTheBatchIsSplitAtNoCost() {
        start((batch, contexts, bunny) -> failCommitsOfBatchesWith("a", contexts));
        deliver("a", "b", "c", "d");

        assertThat(calls).containsExactly("abcd", "ab", "cd", "a", "b");
        assertHandledOnce("a", "b", "c", "d");
    }

    @Test
    void whenTheCommitIsInDoubtAndTookPlaceNothingIsDoneTwice() {
        start((batch, contexts, bunny) -> {});
        transactional.commit = () -> {
            transactional.write();
            throw new StoreUnavailableException("no answer", null, null);
        };
        deliver("a", "b", "c", "d");

        assertThat(calls).containsExactly("abcd");
        assertHandledOnce("a", "b", "c", "d");
    }

    /** Of transaction managers that do not tell a failure after the commit from one of the commit. */
    @Test
    void whatFailsAfterTheCommitChangesNothing() {
        start((batch, contexts, bunny) -> {});
        transactional.commit = () -> {
            transactional.write();
            throw new IllegalStateException("a callback");
        };
        deliver("a", "b");

        assertThat(calls).containsExactly("ab");
        assertHandledOnce("a", "b");
        assertThat(meters.get("safebunny.dedup").tag("outcome", "hit").counter().count())
                .isZero();
    }

    /** Who flushes at the commit, as JPA does, needs the beans of the call there. */
    @Test
    void theScopeOfACallLastsUntilItsCommit() {
        List<Object> beans = new ArrayList<>();
        List<Object> destroyed = new ArrayList<>();
        start((batch, contexts, bunny) -> {
            Object bean = scope.get("auditor", Object::new);
            scope.registerDestructionCallback("auditor", () -> destroyed.add(bean));
            beans.add(bean);
            transactional.commit = () -> {
                beans.add(scope.get("auditor", Object::new));
                assertThat(destroyed).isEmpty();
                assertThat(MDC.get("safebunny.type")).isEqualTo("OrderPlaced");
                transactional.write();
            };
        });
        deliver("a", "b");

        assertThat(calls).containsExactly("ab");
        assertThat(beans).hasSize(2).containsOnly(beans.get(0));
        assertThat(destroyed).containsExactly(beans.get(0));
        assertHandledOnce("a", "b");
        assertThat(MDC.get("safebunny.type")).isNull();
    }

    /** Alone it succeeds. */
    private void failCommitsOfBatchesWith(String order, List<? extends MessageContext> contexts) {
        transactional.commit = contexts.size() > 1
                        && contexts.stream()
                                .anyMatch(context -> context.messageId().startsWith(order))
                ? () -> {
                    throw new IllegalStateException("a constraint that is checked at the commit");
                }
                : null;
    }

    private int most() {
        return transport.handlerOf(delivery(order("x"))).mostTogether();
    }

    private double broken() {
        return meters.get("safebunny.shared").tag("outcome", "broken").counter().count();
    }

    @Test
    void batchesWhoseCommitsAlwaysFailRest() {
        start((batch, contexts, bunny) -> failCommitsOfBatchesWith("z", contexts));
        for (int i = 0; i < 5; i++) {
            assertThat(most()).isEqualTo(64);
            deliver("z" + i, "a" + i, "b" + i, "c" + i);
        }

        assertThat(broken()).isPositive();
        assertThat(most()).isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(most()).isEqualTo(64);
    }

    /** However many halves that takes. */
    @Test
    void aMessageThatFailsCommitsNowAndThenDoesNotMakeBatchesRest() {
        start((batch, contexts, bunny) -> failCommitsOfBatchesWith("z", contexts));
        for (int i = 0; i < 3; i++) {
            String n = String.valueOf(i);
            deliver("z" + n, "a" + n, "b" + n, "c" + n, "d" + n, "e" + n, "f" + n, "g" + n);
            deliver("h" + n, "i" + n);
        }

        assertThat(broken()).isEqualTo(3 * (8 + 4 + 2));
        assertThat(most()).isEqualTo(64);
    }

    /** What was claimed, and not handled, must not count as handled. */
    @Test
    void whenAHandlerCommitsTheTransactionNothingIsLost() {
        start((batch, contexts, bunny) -> {
            if (calls.size() == 1) {
                transactional.writeBehindTheBack();
                MessageRecord unused = transactional.apart(
                        () -> transactional.replace(stored("a").next(RecordState.RELEASED)));
                throw new IllegalStateException("and fails");
            }
        });
        deliver("a", "b");

        assertThat(transactional.effects).contains("a", "b");
        assertThat(sent()).containsExactlyInAnyOrder("a", "b");
        assertThat(List.of("a", "b"))
                .allSatisfy(id -> assertThat(stored(id).attempt()).isZero());
        assertAcknowledged();
    }

    @Test
    void whenTheyCannotBeClaimedTogetherEachIsABatchOfOne() {
        start((batch, contexts, bunny) -> {});
        transactional.refusesGroups = true;
        deliver("a", "b");

        assertThat(calls).containsExactly("a", "b");
        assertHandledOnce("a", "b");
    }

    @ParameterizedTest
    @EnumSource
    void aTypeThatIsPausedIsNotHandled(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {});
        breakers.open(OrderPlaced.class, Duration.ofMinutes(1));
        deliver("a", "b");

        assertThat(calls).isEmpty();
    }

    /** Each sees its own message; one keeps its message from the handler, which is handled by that. */
    @ParameterizedTest
    @EnumSource
    void middlewaresSeeEachMessage(Kind kind) {
        use(kind);
        List<String> seen = new ArrayList<>();
        middlewares.add((context, next) -> {
            seen.add(context.messageId());
            assertThat(MDC.get("safebunny.messageId")).isEqualTo(context.messageId());
            if (!context.messageId().equals("b")) {
                next.run();
                seen.add("/" + context.messageId());
            }
        });
        start((batch, contexts, bunny) -> {
            assertThat(MDC.get("safebunny.messageId")).isNull();
        });
        deliver("a", "b", "c");

        assertThat(calls).containsExactly("ac");
        assertThat(seen).containsExactly("a", "b", "c", "/c", "/a");
        assertHandledOnce("a", "c");
    }

    /** It may swallow the failure of its own message only. */
    @ParameterizedTest
    @EnumSource
    void aMiddlewareDoesNotDecideForOthers(Kind kind) {
        use(kind);
        middlewares.add((context, next) -> {
            try {
                next.run();
            } catch (IllegalStateException e) {
                if (!context.messageId().equals("a")) {
                    throw e;
                }
            }
        });
        start((batch, contexts, bunny) -> failWith("a", batch));
        deliver("a", "b");

        assertThat(calls).containsExactly("ab", "a", "a", "a", "b");
        assertHandledOnce("b");
    }

    /** And not again in each half, with all that the handler does outside transactions. */
    @ParameterizedTest
    @EnumSource
    void aMiddlewareThatRunsTheHandlerAgainGetsEachMessageAlone(Kind kind) {
        use(kind);
        middlewares.add((context, next) -> {
            next.run();
            next.run();
        });
        start((batch, contexts, bunny) -> {});
        try (LogLines lines = new LogLines(SharedPipeline.class.getName())) {
            deliver("a", "b", "c", "d");
            assertThat(lines.texts()).first().satisfies(line -> assertThat(line)
                    .contains("batch of its own")
                    .contains("Set batchSize to 1"));
        }

        assertThat(calls).containsExactly("abcd", "a", "a", "b", "b", "c", "c", "d", "d");
        assertHandledOnce("a", "b", "c", "d");
        assertThat(most()).isEqualTo(1);
    }

    /** There it has neither the transaction nor the thread of its batch, as if it had come alone. */
    @ParameterizedTest
    @EnumSource
    void whatAMiddlewareHandlesOnAnotherThreadIsNotPartOfTheBatch(Kind kind) {
        use(kind);
        List<String> elsewhere = Collections.synchronizedList(new ArrayList<>());
        List<Runnable> later = new ArrayList<>();
        middlewares.add((context, next) -> {
            switch (context.messageId()) {
                case "b" ->
                    CompletableFuture.runAsync(() -> running(next, elsewhere)).join();
                case "c" -> later.add(() -> running(next, elsewhere));
                default -> next.run();
            }
        });
        List<String> refused = Collections.synchronizedList(new ArrayList<>());
        isRecording = false;
        start((batch, contexts, bunny) -> {
            calls.add(batch);
            if (!batch.contains("a")) {
                Throwable failure = catchThrowable(() -> contexts.get(0).publisher());
                refused.add(batch + failure.getMessage());
            }
        });
        deliver("a", "b", "c", "d");
        assertThat(calls).containsExactly("b", "ad");
        CompletableFuture.runAsync(later.get(0)).join();

        assertThat(calls).containsExactly("b", "ad", "c");
        assertThat(elsewhere).hasSize(2);
        assertThat(refused).hasSize(2).allMatch(text -> text.contains("outside the handling"));
        assertAcknowledged();
    }

    private static void running(Next next, List<String> threads) {
        threads.add(Thread.currentThread().getName());
        try {
            next.run();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The stack is as deep as the batch. */
    @Test
    void theLargestBatchWithSeveralMiddlewaresFitsOnAStack() throws Exception {
        use(Kind.PLAIN);
        for (int i = 0; i < 3; i++) {
            middlewares.add((context, next) -> next.run());
        }
        isRecording = false;
        start((batch, contexts, bunny) -> calls.add(String.valueOf(contexts.size())));
        String[] ids = IntStream.range(0, 200).mapToObj(i -> "id" + i).toArray(String[]::new);
        Thread thread = new Thread(() -> deliver(ids));
        thread.start();
        thread.join();

        assertThat(calls).containsExactly("200");
        assertAcknowledged();
    }

    @Test
    void aContextOfOneMessageMakesEachABatchOfOne() {
        contexts.add(message -> () -> {});
        try (LogLines lines = new LogLines(SharedPipeline.class.getName())) {
            start((batch, all, bunny) -> {});
            assertThat(lines.texts()).singleElement().satisfies(line -> assertThat(line)
                    .contains("batch of its own")
                    .contains("ContextPropagator"));
        }
        assertThat(transport.handlerOf(delivery(order("a"))).mostTogether()).isEqualTo(1);
    }

    @Test
    void publicationsOfOtherThreadsNeedAKeyAndAnOpenBatch() {
        List<Bunny> kept = Collections.synchronizedList(new ArrayList<>());
        start((batch, contexts, bunny) -> kept.add(contexts.get(1).publisher()));
        deliver("a", "b");

        Function<Bunny, Throwable> late =
                publisher -> catchThrowable(() -> publisher.publish(new PaymentCaptured("late")));
        assertThat(kept).singleElement().satisfies(publisher -> assertThat(late.apply(publisher))
                .isInstanceOf(InvalidPublicationException.class)
                .hasMessageContaining("has returned"));
        assertHandledOnce("a", "b");
    }

    private void throwFor(String order, MessageContext context) {
        if (context.messageId().equals(order)) {
            throw new IllegalStateException("of the middleware of " + order);
        }
    }

    /** Or nobody would hear of it, and what was never handled would be acknowledged. */
    @ParameterizedTest
    @EnumSource
    void whatOneMiddlewareThrowsNoOtherOneSwallows(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        middlewares.add((context, next) -> {
            throwFor("b", context);
            try {
                next.run();
            } catch (IllegalStateException e) {
                if (!context.messageId().equals("a")) {
                    throw e;
                }
            }
        });
        start((batch, contexts, bunny) -> {});
        deliver("a", "b", "c");

        assertThat(calls).containsExactly("a", "c");
        assertThat(transport.poisoned())
                .extracting(copy -> copy.message().messageId())
                .containsExactly("b");
        assertHandledOnce("a", "c");
    }

    @ParameterizedTest
    @EnumSource
    void aVetoAfterTheCallIsNotSwallowedByOthers(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        middlewares.add((context, next) -> {
            try {
                next.run();
            } catch (IllegalStateException e) {
                if (!context.messageId().equals("a")) {
                    throw e;
                }
            }
            throwFor("b", context);
        });
        start((batch, contexts, bunny) -> {});
        deliver("a", "b", "c");

        assertThat(transport.poisoned())
                .extracting(copy -> copy.message().messageId())
                .containsExactly("b");
        assertHandledOnce("a", "c");
    }

    /** It tries again what another one has refused at first. */
    @ParameterizedTest
    @EnumSource
    void noMessageIsTwiceInOneList(Kind kind) {
        use(kind);
        List<String> refused = new ArrayList<>();
        middlewares.add((context, next) -> {
            if (context.messageId().equals("b") && refused.size() < 1) {
                refused.add("b");
                throw new IllegalStateException("at first");
            }
            try {
                next.run();
            } catch (IllegalStateException e) {
                next.run();
            }
        });
        start((batch, contexts, bunny) -> {});
        deliver("a", "b", "c");

        assertThat(calls).allMatch(batch -> batch.chars().distinct().count() == batch.length());
        assertHandledOnce("a", "b", "c");
    }

    @ParameterizedTest
    @EnumSource
    void inAnOutageFewCallsAreMadeInVain(Kind kind) {
        use(kind);
        policy = Node.ONE_ATTEMPT;
        start((batch, contexts, bunny) -> {
            throw new IllegalStateException("all fail");
        });
        String[] ids = IntStream.range(0, 64)
                .mapToObj(i -> Character.toString((char) ('0' + i)))
                .toArray(String[]::new);
        deliver(ids);

        assertThat(calls.stream().filter(batch -> batch.length() > 1)).hasSizeLessThanOrEqualTo(15);
        assertThat(calls.stream().filter(batch -> batch.length() == 1)).isNotEmpty();
        assertAcknowledged();
    }

    /** Who is asked for patience is not asked again for each half. */
    @ParameterizedTest
    @EnumSource
    void aThrottledBatchIsNotSplit(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {
            throw new ThrottledException(Duration.ofSeconds(10));
        });
        RecordedDelivery[] all = eight();
        DeliveryHandler handler = transport.handlerOf(all[0]);
        List<RecordedDelivery> left = handler.handleTogether(List.of(all));

        assertThat(breakers.state(OrderPlaced.class))
                .as("paused before many threads call it with one message each")
                .isEqualTo(State.OPEN);
        left.forEach(handler::handle);
        assertThat(calls).containsExactly("abcdefgh");
        assertThat(transport.returned())
                .hasSize(8)
                .allSatisfy(copy -> assertThat(copy.message().headers()).containsEntry(Headers.ATTEMPT, 0));
        assertAcknowledged();
    }

    /** Alone they succeed, so that the type is consumed again and the next batch asks for the next pause. */
    @ParameterizedTest
    @EnumSource
    void batchesThatAreAlwaysThrottledRest(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {
            if (contexts.size() > 1) {
                throw new ThrottledException(Duration.ofSeconds(10));
            }
        });
        for (int i = 0; i < 5; i++) {
            assertThat(most()).isEqualTo(64);
            String n = String.valueOf(i);
            RecordedDelivery[] all = {delivery(order("a" + n)), delivery(order("b" + n)), delivery(order("c" + n))};
            DeliveryHandler handler = transport.handlerOf(all[0]);
            List<RecordedDelivery> left = handler.handleTogether(List.of(all));
            assertThat(left).hasSize(3);
            time.advance(Duration.ofSeconds(11));
            left.forEach(handler::handle);
        }

        assertThat(breakers.state(OrderPlaced.class)).isEqualTo(State.CLOSED);
        assertThat(most()).isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(most()).isEqualTo(64);
    }

    /** Otherwise those that are claimed are called, cannot be completed, and are called again alone. */
    @Test
    void whenAClaimShowsThatTheStoreIsSilentNobodyIsCalled() {
        AtomicInteger asked = new AtomicInteger();
        store = new ForwardingMessageStore(plain) {
            @Override
            public MessageRecord create(MessageRecord record) {
                if (asked.incrementAndGet() == 4) {
                    throw new StoreUnavailableException("silent", null, null);
                }
                return super.create(record);
            }
        };
        start((batch, contexts, bunny) -> {});
        RecordedDelivery[] all = eight();
        List<RecordedDelivery> left = transport.handlerOf(all[0]).handleTogether(List.of(all));

        assertThat(left).containsExactly(all);
        assertThat(calls).isEmpty();
        assertThat(breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }

    private RecordedDelivery[] eight() {
        return Arrays.stream("abcdefgh".split(""))
                .map(id -> delivery(order(id)))
                .toArray(RecordedDelivery[]::new);
    }

    /** Each try may be a wait of half a minute. */
    @Test
    void aStoreThatGoesAwayInACallIsNotAskedForEachHalf() {
        start((batch, contexts, bunny) -> {
            transactional.isAway = true;
            throw new IllegalStateException("the database is away");
        });
        RecordedDelivery[] all = eight();
        List<RecordedDelivery> left = transport.handlerOf(all[0]).handleTogether(List.of(all));

        assertThat(left).containsExactly(all);
        assertThat(calls).containsExactly("abcdefgh");
        assertThat(transactional.askedInVain)
                .as("what the handler has committed, and for the first half")
                .isEqualTo(2);
    }

    @Test
    void aStoreThatIsAwayAtTheCommitPausesTheType() {
        start((batch, contexts, bunny) -> transactional.isAway = true);
        RecordedDelivery[] all = eight();
        List<RecordedDelivery> left = transport.handlerOf(all[0]).handleTogether(List.of(all));

        assertThat(left).containsExactly(all);
        assertThat(calls).containsExactly("abcdefgh");
        assertThat(transactional.askedInVain)
                .as("for the completion, and whether it was one message that has spoilt it")
                .isEqualTo(2);
        assertThat(breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }

    /** Not a store that is away, but a message that has spoilt its transaction. */
    @Test
    void aCommitThatIsRefusedByAStoreThatAnswersIsOneMessages() {
        start((batch, contexts, bunny) -> transactional.commit = batch.contains("a")
                ? () -> {
                    throw new StoreUnavailableException("spoilt", null, null);
                }
                : null);
        deliver("b", "a", "c", "d");

        assertThat(calls).startsWith("bacd", "ba", "cd");
        assertThat(sent()).contains("b", "c", "d");
    }

    /** Without a store, sending is the completion. */
    @Test
    void aBrokerThatFallsSilentEndsTheSplitting() {
        use(Kind.NONE);
        start((batch, contexts, bunny) -> {
            transport.answerAll(RecordingTransport.SILENCE);
            failWith("h", batch);
        });
        RecordedDelivery[] all = eight();
        Instant begun = timeline.now();
        List<RecordedDelivery> left = transport.handlerOf(all[0]).handleTogether(List.of(all));

        assertThat(left).containsExactly(all);
        assertThat(calls).containsExactly("abcdefgh", "abcd");
        assertThat(Duration.between(begun, timeline.now())).isLessThan(Duration.ofMinutes(1));
        assertThat(breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }

    /** They would wait one after the other. */
    @ParameterizedTest
    @EnumSource
    void aSilentBrokerIsWaitedForOnceByABatch(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {});
        transport.answerAll(RecordingTransport.SILENCE);
        Instant begun = timeline.now();
        RecordedDelivery[] all = eight();
        DeliveryHandler handler = transport.handlerOf(all[0]);
        List<RecordedDelivery> left = handler.handleTogether(List.of(all));

        assertThat(calls).containsExactly("abcdefgh");
        assertThat(left).containsExactly(all);
        assertThat(Duration.between(begun, timeline.now())).isLessThan(Duration.ofMinutes(2));
    }

    /** Each claim ends with its lease, instead of waiting for the store once more. */
    @Test
    void aStoreThatIsGoneIsNotAskedToReleaseEachClaim() {
        AtomicBoolean isGone = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        store = new ForwardingMessageStore(plain) {
            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                if (isGone.get()) {
                    asked.incrementAndGet();
                    throw new StoreUnavailableException("gone", null, null);
                }
                return super.replace(record);
            }
        };
        start((batch, contexts, bunny) -> {
            isGone.set(true);
            throw new ThrottledException(Duration.ofSeconds(10));
        });
        RecordedDelivery[] all = eight();
        List<RecordedDelivery> left = transport.handlerOf(all[0]).handleTogether(List.of(all));

        assertThat(left).hasSize(8);
        assertThat(asked).hasValue(1);
    }

    @Test
    void aBatchThatFailsIsTold() {
        try (LogLines lines = new LogLines(SharedPipeline.class.getName())) {
            start((batch, contexts, bunny) -> failWith("a", batch));
            deliver("a", "b", "c", "d");

            assertThat(lines.texts()).first().satisfies(line -> assertThat(line)
                    .startsWith("The call for a batch of 4 messages has failed"));
        }
    }

    /** A claim that another process left behind. */
    @Test
    void whatMayHaveEndedItsProcessIsAlone() {
        use(Kind.PLAIN);
        MessageRecord left = MessageRecord.claim(
                new RecordKey(Wires.orderPlaced().envelope().correlationId(), "b"),
                "gone",
                Duration.ofSeconds(10),
                0,
                Fingerprint.of(order("b").envelope()));
        MessageRecord unused = plain.create(left);
        start((batch, contexts, bunny) -> {});
        deliver("a", "b", "c");

        assertThat(calls.get(0)).isEqualTo("ac");
        assertThat(sent()).contains("a", "c");
    }

    @ParameterizedTest
    @EnumSource
    void publicationsThatAreNotConfirmedComeBackWithTheirMessage(Kind kind) {
        use(kind);
        start((batch, contexts, bunny) -> {});
        transport.answerNext(RecordingTransport.SILENCE);
        deliver("a", "b");

        assertThat(transport.returned())
                .extracting(copy -> copy.message().messageId())
                .containsExactly("a", "b");
        if (kind == Kind.NONE) { // without a store, sending is the completion
            assertThat(breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
        } else {
            assertThat(calls).containsExactly("ab");
            assertThat(List.of(stored("a"), stored("b")))
                    .as("both are duplicates, and what they publish is in their records")
                    .allSatisfy(
                            record -> assertThat(record.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED));
        }
    }
}
