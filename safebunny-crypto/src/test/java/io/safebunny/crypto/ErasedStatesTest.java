// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.OnShredded;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.telling.StoryTeller;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Sagas whose state, or whose commands, are about somebody who was erased. */
class ErasedStatesTest {

    private static final Canary CANARY = new Canary("4242424242424242");

    record Buy(String customer, String pan) {}

    record Paid(String note) {}

    @Encrypted(key = "payments", subject = "customer")
    record Ship(String customer) {}

    @Encrypted(key = "payments", subject = "customer")
    record Unship(String customer) {}

    @Encrypted(key = "payments", subject = "customer")
    record Personal(String customer, String pan, int seen) {}

    @BunnySaga(name = "Card")
    static class PersonalSaga {
        final List<Personal> given = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "till")
        Personal on(Buy buy, SagaContext saga) {
            saga.timeout("late", Duration.ofHours(1));
            return new Personal(buy.customer(), buy.pan(), 0);
        }

        @BunnyHandler(from = "till")
        Personal on(Paid paid, Personal state) {
            given.add(state);
            return new Personal(state.customer(), state.pan(), state.seen() + 1);
        }

        @OnTimeout("late")
        Personal onLate(Personal state) {
            given.add(state);
            return state;
        }
    }

    @BunnySaga(name = "Shipping", participants = "depot")
    static class ImpersonalSaga {
        final List<String> told = new ArrayList<>();

        record Progress(int steps) {}

        @Starts
        @BunnyHandler(from = "till")
        Progress on(Buy buy, SagaContext saga) {
            saga.step("ship", new Ship(buy.customer()), new Unship(buy.customer()));
            return new Progress(0);
        }

        @OnPoisoned
        void on(BlockedOn blocked) {
            told.add(blocked.type() + " " + blocked.reason());
        }
    }

    @BunnySaga(name = "Parting", participants = "depot")
    static class SagaThatGoesOn {
        final List<String> told = new ArrayList<>();

        record Parcels(int steps) {}

        @Starts
        @BunnyHandler(from = "till")
        Parcels on(Buy buy, SagaContext saga) {
            saga.step("ship", new Ship(buy.customer()), new Unship(buy.customer()));
            return new Parcels(0);
        }

        @OnShredded
        void onErased(BlockedOn blocked, Parcels state, SagaContext saga) {
            told.add(blocked.type() + " of nobody, after " + state.steps());
            saga.complete();
        }

        @OnPoisoned
        void on(BlockedOn blocked) {
            told.add(blocked.type() + " " + blocked.reason());
        }
    }

    @BunnySaga(name = "Delivery", participants = "depot")
    static class PersonalDelivery {
        final List<String> told = new ArrayList<>();

        @Starts
        @BunnyHandler(from = "till")
        Personal on(Buy buy, SagaContext saga) {
            saga.step("ship", new Ship(buy.customer()), new Unship(buy.customer()));
            return new Personal(buy.customer(), buy.pan(), 0);
        }

        @OnPoisoned
        void on(BlockedOn blocked) {
            told.add(blocked.type() + " " + blocked.reason());
        }
    }

    @BunnySaga
    static class WithSubjectOfSaga {
        @Encrypted(key = "payments", subject = "customr")
        record Misspelt(String customer) {}

        @Starts
        @BunnyHandler(from = "till")
        Misspelt on(Buy buy) {
            return new Misspelt(buy.customer());
        }
    }

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final WrittenStore store = new WrittenStore(new MemoryMessageStore(timeline, Duration.ofDays(7)));
    private final MemoryKeys keys = MemoryKeys.of("payments", "subjects");
    private final Subjects subjects = new Subjects(keys, "subjects", new MemorySubjectKeys(), timeline);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<String> handled = new ArrayList<>();
    private boolean failing;

    private SafeBunnyEngine node(String name, List<HandlerDefinition> handlers, Object... sagas) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name),
                        new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run),
                        timeline)
                .store(store)
                .meterRegistry(meters)
                .codecs(new Codecs(List.of(new EncryptingCodec(keys, timeline, Set.of(), subjects)), null))
                .callbacks(Runnable::run)
                .build());
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object saga : sagas) {
            beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        }
        HandlerDefaults defaults = new HandlerDefaults(
                10,
                new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0),
                RetryStrategy.of(2, Duration.ofMinutes(1)));
        engine.start(handlers, new SagaScanner(beans, defaults, null).sagas());
        return engine;
    }

    private void send(String saga, Object payload) {
        SafeBunnyEngine till = node("till", List.of());
        till.bunny().publish(payload, PublishOptions.none().withCorrelationId(saga));
        till.stop(Duration.ofSeconds(1));
    }

    private void erase(String customer) {
        assertThat(subjects.erase(customer).hadKey()).isTrue();
        timeline.advance(Duration.ofMinutes(1));
    }

    private static SagaView view(SafeBunnyEngine shop, String id) {
        return Objects.requireNonNull(shop.get(Sagas.class)).find(id).get(0);
    }

    private static List<State> states(SafeBunnyEngine node, String id) {
        return Objects.requireNonNull(node.get(StoryTeller.class)).of(id).nodes().stream()
                .map(NodeStory::messages)
                .flatMap(List::stream)
                .map(NodeStory.Message::state)
                .toList();
    }

    @Test
    void messagesForAStateThatIsErasedAreShreddedAndOthersGoOn() {
        PersonalSaga saga = new PersonalSaga();
        SafeBunnyEngine shop = node("shop", List.of(), saga);
        send("o-1", new Buy("ada", "4242424242424242"));
        send("o-2", new Buy("bob", "4242424242424242"));
        assertThat(store.written).anyMatch(text -> text.contains("sealed:")).noneMatch(CANARY::isIn);
        erase("ada");
        send("o-1", new Paid("1"));
        send("o-2", new Paid("2"));

        assertThat(saga.given).extracting(Personal::customer).containsExactly("bob");
        assertThat(states(shop, "o-1")).contains(State.SHREDDED);
        assertThat(states(shop, "o-2")).doesNotContain(State.SHREDDED);
        assertThat(view(shop, "o-1").status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(view(shop, "o-1").stuckOn()).isNull();
        assertThat(broker.depth("shop-poison")).isZero();
        assertThat(meters.get("safebunny.shredded")
                        .tag("type", "Paid")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aTimeoutForAStateThatIsErasedEndsAndTheSagaCanBeFailed() {
        PersonalSaga saga = new PersonalSaga();
        SafeBunnyEngine shop = node("shop", List.of(), saga);
        send("o-1", new Buy("ada", "4242424242424242"));
        erase("ada");
        timeline.advance(Duration.ofHours(12));

        assertThat(saga.given).isEmpty();
        assertThat(broker.depth("shop-poison")).isZero();
        SagaView seen = view(shop, "o-1");
        assertThat(seen.timeouts()).isEmpty();
        assertThat(seen.history())
                .extracting(SagaView.Event::what)
                .containsOnlyOnce("timeout late is over", "nobody is told, because its person was erased");
        Object unused = Objects.requireNonNull(shop.get(Sagas.class)).fail("Card", "o-1", "their person was erased");
        timeline.advance(Duration.ofMinutes(1));
        assertThat(view(shop, "o-1").status()).isEqualTo(SagaStatus.FAILED);
    }

    @Test
    void aSagaIsToldOfACommandThatWasShredded() {
        ImpersonalSaga saga = new ImpersonalSaga();
        SafeBunnyEngine shop = node("shop", List.of(), saga);
        failing = true;
        depot();
        send("o-1", new Buy("ada", "-"));
        failing = false;
        erase("ada");
        timeline.advance(Duration.ofMinutes(5));

        assertThat(saga.told).containsExactly("Ship shredded");
        assertThat(states(shop, "o-1")).contains(State.SHREDDED);
        assertThat(broker.depth("depot-poison")).isZero();
    }

    @Test
    void aSagaGoesOnByItsMethodForThat() {
        SagaThatGoesOn saga = new SagaThatGoesOn();
        SafeBunnyEngine shop = node("shop", List.of(), saga);
        failing = true;
        depot();
        send("o-1", new Buy("ada", "-"));
        failing = false;
        erase("ada");
        timeline.advance(Duration.ofMinutes(5));

        assertThat(saga.told).containsExactly("Ship of nobody, after 0");
        assertThat(view(shop, "o-1").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void aSagaWhoseOwnStateIsErasedIsBlockedByACommandThatWasShredded() {
        PersonalDelivery saga = new PersonalDelivery();
        SafeBunnyEngine shop = node("shop", List.of(), saga);
        failing = true;
        depot();
        send("o-1", new Buy("ada", "-"));
        failing = false;
        erase("ada");
        timeline.advance(Duration.ofMinutes(5));

        assertThat(saga.told).isEmpty();
        assertThat(view(shop, "o-1").blockedOn()).singleElement().satisfies(blocked -> assertThat(blocked.reason())
                .isEqualTo("shredded"));
        assertThat(view(shop, "o-1").history())
                .extracting(SagaView.Event::what)
                .containsOnlyOnce("nobody is told, because its person was erased");
        assertThat(broker.depth("shop-poison")).isZero();
    }

    /** It was not carried out, so the saga must not take it for that. */
    @Test
    void anUndoThatIsShreddedLeavesItsStepToAPerson() {
        SafeBunnyEngine shop = node("shop", List.of(), new ImpersonalSaga());
        depot();
        send("o-1", new Buy("ada", "-"));
        failing = true;
        Object unused = Objects.requireNonNull(shop.get(Sagas.class)).fail("Shipping", "o-1", "no stock");
        failing = false;
        erase("ada");
        timeline.advance(Duration.ofMinutes(5));

        assertThat(view(shop, "o-1").status()).isEqualTo(SagaStatus.COMPENSATION_FAILED);
        assertThat(handled).containsExactly("Ship");
        assertThat(broker.depth("depot-poison")).isZero();
    }

    private void depot() {
        node("depot", List.of(depot(Ship.class), depot(Unship.class)));
    }

    private HandlerDefinition depot(Class<?> type) {
        return new HandlerDefinition(
                type.getSimpleName(),
                type.getSimpleName(),
                type,
                List.of("shop"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofMinutes(5))),
                (payload, context) -> {
                    if (failing) {
                        throw new IllegalStateException("no van");
                    }
                    handled.add(context.type());
                });
    }

    @Test
    void aSubjectThatTheStateDoesNotHaveFailsTheStart() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> node("shop", List.of(), new WithSubjectOfSaga()))
                .withMessageContainingAll("SB-1318", "customr");
    }
}
