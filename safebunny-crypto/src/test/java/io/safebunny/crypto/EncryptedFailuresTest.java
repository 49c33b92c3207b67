// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.serialization.SerializationException;
import io.safebunny.story.BunnyStory;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.topology.TopologyOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Exceptions of what has read an encrypted body or state quote it: nothing of their texts is written anywhere. */
class EncryptedFailuresTest {

    private static final String PAN = "4000056655665556";
    private static final Canary CANARY = new Canary(PAN);
    private static final String POISON = "billing-poison";

    @Encrypted(key = "payments")
    record Charge(String card) {}

    /** What arrives as {@link Charge}, and is read with a constructor that quotes. */
    @Encrypted(key = "payments")
    record StrictCharge(String card) {
        StrictCharge {
            throw new IllegalArgumentException("no valid card: " + card);
        }
    }

    @Encrypted(key = "payments")
    record Secretive(String card) {
        @SuppressWarnings("unused") // by Jackson
        public String getDigits() {
            if (card.isEmpty()) {
                return card;
            }
            throw new IllegalStateException("no digits in " + card);
        }
    }

    record Plain(String card) {}

    @Encrypted(key = "payments")
    record State(String card) {
        State {
            if (isStrict) {
                throw new IllegalArgumentException("no valid card: " + card);
            }
        }
    }

    private static boolean isStrict;

    /** None of its messages is encrypted. */
    @BunnySaga(name = "Card")
    static class CardSaga {
        @Starts
        @BunnyHandler(from = "orders")
        State on(Plain plain, SagaContext saga) {
            saga.timeout("late", Duration.ofMinutes(30));
            return new State(PAN);
        }

        @BunnyHandler(from = "orders")
        State on(Paid paid, State state) {
            throw failure(state.card());
        }

        @OnTimeout("late")
        State late(State state) {
            throw failure(state.card());
        }
    }

    record Paid(String receipt) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final WrittenStore store = new WrittenStore(new MemoryMessageStore(timeline, Duration.ofDays(7)));
    private final MemoryKeys keys = MemoryKeys.of("payments");
    private final CircuitBreakers breakers = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final List<String> observed = new ArrayList<>();
    private final CapturedLogs logs = CapturedLogs.start().at("io.safebunny", Level.TRACE);

    EncryptedFailuresTest() {
        observations.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onError(Observation.Context context) {
                observed.add(context.getAllKeyValues() + printed(context.getError()));
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void close() {
        isStrict = false;
        logs.close();
    }

    /** With the text in each place that is printed. */
    private static RuntimeException failure(String card) {
        IllegalStateException failure =
                new IllegalStateException("declined: " + card, new IllegalArgumentException("bad card " + card));
        failure.addSuppressed(new PoisonMessageException("closing, of " + card));
        return failure;
    }

    private static String printed(@org.jspecify.annotations.Nullable Throwable failure) {
        StringWriter text = new StringWriter();
        if (failure != null) {
            failure.printStackTrace(new PrintWriter(text));
        }
        return text.toString();
    }

    private SafeBunnyEngine node(String name, List<HandlerDefinition> handlers, List<SagaDefinition> sagas) {
        SafeBunnyParts.Builder parts = SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name),
                        new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run),
                        timeline)
                .store(store)
                .codecs(new Codecs(List.of(new EncryptingCodec(keys, timeline, Set.of())), null))
                .observationRegistry(observations)
                .callbacks(Runnable::run);
        SafeBunnyEngine engine =
                new SafeBunnyEngine((name.equals("billing") ? parts.breakers(breakers) : parts).build());
        engine.start(handlers, sagas);
        return engine;
    }

    private SafeBunnyEngine billing(Class<?> payload, BiConsumer<Object, MessageContext> handler) {
        String type = payload == Plain.class ? "Plain" : "Charge";
        return node(
                "billing",
                List.of(new HandlerDefinition(
                        "charge",
                        type,
                        payload,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(
                                RetryStrategy.of(1, Duration.ofMillis(10)), RetryStrategy.of(1, Duration.ofMinutes(1))),
                        handler::accept)),
                List.of());
    }

    private static List<SagaDefinition> sagas() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("card", new CardSaga());
        HandlerDefaults defaults = new HandlerDefaults(
                10,
                new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0),
                RetryStrategy.of(1, Duration.ofMinutes(1)));
        return new SagaScanner(beans, defaults, null).sagas();
    }

    private void publish(Object payload) {
        node("orders", List.of(), List.of())
                .bunny()
                .publish(payload, PublishOptions.none().withCorrelationId("c-1"));
        timeline.advance(Duration.ofMinutes(5));
    }

    private void requirePoison(int copies) {
        assertThat(broker.messages(POISON)).hasSize(copies).allSatisfy(copy -> assertThat(copy.headers())
                .containsKeys("x-exception-type", "x-exception-message"));
    }

    /** Everything that was written or is shown of the failures of a message that ended in the poison queue. */
    private String told(SafeBunnyEngine billing) {
        StringBuilder told = new StringBuilder();
        logs.all().forEach(line -> told.append(line.message()).append(printed(line.failure())));
        broker.messages(POISON).forEach(copy -> told.append(copy.headers()));
        store.written.forEach(told::append);
        told.append(observed).append(breakers.statuses());
        told.append(Objects.requireNonNull(billing.get(BunnyStory.class)).of("c-1"));
        PoisonMessages poison = Objects.requireNonNull(billing.get(PoisonMessages.class));
        told.append(poison.list(PoisonFilter.all()));
        broker.messages(POISON)
                .forEach(copy -> told.append(poison.find(String.valueOf(copy.messageId())).stream()
                        .map(found -> found.message() + " " + found.record())
                        .toList()));
        if (billing.handlers().stream()
                .noneMatch(handler -> handler.description().equals("charge"))) {
            told.append(billing.get(Sagas.class).find("c-1"));
        }
        return told.toString();
    }

    private void requireSecret(SafeBunnyEngine billing, int copies) {
        requirePoison(copies);
        String told = told(billing);
        assertThat(told).contains("IllegalStateException at ");
        assertThat(told.lines().filter(CANARY::isIn)).isEmpty();
    }

    @Test
    void ofHandlersAreToldByClassAndPlace() {
        SafeBunnyEngine billing = billing(Charge.class, (payload, context) -> {
            throw failure(((Charge) payload).card());
        });
        publish(new Charge(PAN));

        requireSecret(billing, 1);
        assertThat(observed).hasSize(2).allSatisfy(error -> assertThat(error)
                .contains(
                        "error.type=java.lang.IllegalStateException",
                        "java.lang.IllegalStateException at io.safebunny.crypto.EncryptedFailuresTest.failure("));
        BunnyCircuitBreaker.Failure last = Objects.requireNonNull(
                Objects.requireNonNull(breakers.statuses().get("Charge")).lastFailure());
        assertThat(last.type()).isEqualTo("java.lang.IllegalStateException");
        assertThat(last.text()).isNull();
    }

    @Test
    void ofTypesInClearAreToldAsTheyAre() {
        SafeBunnyEngine billing = billing(Plain.class, (payload, context) -> {
            throw failure("4111");
        });
        publish(new Plain("4111"));

        assertThat(told(billing)).contains("declined: 4111", "bad card 4111", "closing, of 4111");
        assertThat(observed).allSatisfy(error -> assertThat(error).contains("declined: 4111"));
    }

    @Test
    void ofStepsAreNotQuoted() {
        SafeBunnyEngine billing = billing(
                Charge.class,
                (payload, context) -> context.once("charge", () -> {
                    throw failure(((Charge) payload).card());
                }));
        publish(new Charge(PAN));

        requireSecret(billing, 1);
    }

    @Test
    void ofValidationAreNotQuoted() {
        SafeBunnyEngine billing = billing(Charge.class, (payload, context) -> {
            throw new PoisonMessageException(
                    "card: '" + ((Charge) payload).card() + "' must have 16 digits", failure(PAN));
        });
        publish(new Charge(PAN));

        requireSecret(billing, 1);
    }

    @Test
    void ofBodiesThatCannotBeReadAreNotQuoted() {
        SafeBunnyEngine billing = billing(StrictCharge.class, (payload, context) -> {});
        publish(new Charge(PAN));

        requirePoison(1);
        assertThat(broker.messages(POISON).get(0).headers()).containsEntry("sb-poison-reason", "malformed-body");
        assertThat(told(billing).lines().filter(CANARY::isIn)).isEmpty();
    }

    @Test
    void ofPublishingAreNotObserved() {
        assertThatExceptionOfType(SerializationException.class).isThrownBy(() -> publish(new Secretive(PAN)));

        assertThat(observed).hasSize(1).noneMatch(CANARY::isIn);
    }

    @Test
    void ofMethodsThatReadAnEncryptedStateAreNotQuoted() {
        SafeBunnyEngine billing = node("billing", List.of(), sagas());
        publish(new Plain("-"));
        publish(new Paid("-"));

        requireSecret(billing, 1);
    }

    @Test
    void ofTimeoutsThatReadAnEncryptedStateAreNotQuoted() {
        SafeBunnyEngine billing = node("billing", List.of(), sagas());
        publish(new Plain("-"));
        timeline.advance(Duration.ofMinutes(40));

        requireSecret(billing, 1);
    }

    @Test
    void ofStatesThatCannotBeReadAreNotQuotedBySweeps() {
        SafeBunnyEngine billing = node("billing", List.of(), sagas());
        publish(new Plain("-"));
        isStrict = true;
        timeline.advance(Duration.ofHours(5));

        assertThat(logs.all()).anySatisfy(line -> {
            assertThat(line.message()).contains("whose state this instance cannot read");
            assertThat(printed(line.failure())).contains("NotHandledException at ");
        });
        assertThat(told(billing).lines().filter(CANARY::isIn)).isEmpty();
    }

    @Test
    void ofKeysThatAreMissingSayWhichOne() {
        SafeBunnyEngine billing = billing(Charge.class, (payload, context) -> {});
        MemoryKeys known = MemoryKeys.of("payments");
        SafeBunnyEngine orders = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("orders"),
                        new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run),
                        timeline)
                .codecs(new Codecs(List.of(new EncryptingCodec(known, timeline, Set.of())), null))
                .callbacks(Runnable::run)
                .build());
        for (int i = 0; i < 8; i++) {
            known.rotate("payments");
        }
        orders.start(List.of());
        orders.bunny().publish(new Charge(PAN));
        timeline.advance(Duration.ofMinutes(5));

        requirePoison(1);
        assertThat(String.valueOf(broker.messages(POISON).get(0).headers().get("x-exception-message")))
                .contains("payments-9");
        assertThat(told(billing).lines().filter(CANARY::isIn)).isEmpty();
    }
}
