// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.store.JointWrite;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** States of sagas whose class is marked. */
class EncryptedStatesTest {

    private static final String PAN = "4242424242424242";
    private static final Canary CANARY = new Canary(PAN);
    private static final String POISON = "shop-poison";

    record Buy(String pan) {}

    record Paid(String pan) {}

    record Pay(String pan) {}

    record Refund(String pan) {}

    record State(String pan, int seen) {}

    /** What all three do. */
    static class CardSaga {

        final List<State> given = new ArrayList<>();
        boolean timedOut;

        State begun(Buy buy, SagaContext saga) {
            saga.timeout("late", Duration.ofDays(1));
            return new State(buy.pan(), 0);
        }

        State paid(State state) {
            given.add(state);
            return new State(state.pan(), state.seen() + 1);
        }

        State late(State state) {
            timedOut = true;
            return paid(state);
        }
    }

    @BunnySaga(name = "Card")
    @Encrypted(key = "payments")
    static class Marked extends CardSaga {
        @Starts
        @BunnyHandler(from = "till")
        State on(Buy buy, SagaContext saga) {
            return begun(buy, saga);
        }

        @BunnyHandler(from = "till")
        State on(Paid paid, State state) {
            return paid(state);
        }

        @OnTimeout("late")
        State onLate(State state) {
            return late(state);
        }
    }

    @BunnySaga(name = "Card")
    static class Clear extends CardSaga {
        @Starts
        @BunnyHandler(from = "till")
        State on(Buy buy, SagaContext saga) {
            return begun(buy, saga);
        }

        @BunnyHandler(from = "till")
        State on(Paid paid, State state) {
            return paid(state);
        }

        @OnTimeout("late")
        State onLate(State state) {
            return late(state);
        }
    }

    @Encrypted(key = "payments")
    record MarkedState(String pan) {}

    @BunnySaga
    static class OfMarkedState {
        @Starts
        @BunnyHandler(from = "till")
        MarkedState on(Buy buy) {
            return new MarkedState(buy.pan());
        }
    }

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final WrittenStore store = new WrittenStore(new MemoryMessageStore(timeline, Duration.ofDays(7)));
    private final Marked marked = new Marked();
    private MemoryKeys keys = MemoryKeys.of("payments");
    private SafeBunnyEngine shop = node("shop", Codecs.none());

    private SafeBunnyEngine node(String name, Codecs codecs, Object... sagas) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name),
                        new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run),
                        timeline)
                .store(store)
                .codecs(codecs)
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(), definitions(sagas));
        return engine;
    }

    private static List<SagaDefinition> definitions(Object... sagas) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object saga : sagas) {
            beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        }
        HandlerDefaults defaults = new HandlerDefaults(
                10,
                new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0),
                RetryStrategy.of(2, Duration.ofMinutes(1)));
        return new SagaScanner(beans, defaults, null).sagas();
    }

    private Codecs codecs(String... acceptClear) {
        return new Codecs(List.of(new EncryptingCodec(keys, timeline, Set.of(acceptClear))), null);
    }

    /** The shop stops, and starts with these. */
    private void shop(Codecs codecs, Object... sagas) {
        shop.stop(Duration.ofSeconds(1));
        shop = node("shop", codecs, sagas);
    }

    private void send(String saga, Object payload) {
        SafeBunnyEngine till = node("till", Codecs.none());
        till.bunny().publish(payload, PublishOptions.none().withCorrelationId(saga));
        till.stop(Duration.ofSeconds(1));
    }

    private SagaView view(String id) {
        return Objects.requireNonNull(shop.get(Sagas.class)).find(id).get(0);
    }

    private List<Object> poisonReasons() {
        return broker.messages(POISON).stream()
                .map(message -> message.headers().get("sb-poison-reason"))
                .toList();
    }

    private MessageRecord stored(String id) {
        return Objects.requireNonNull(store.find(RecordKey.companion(id, "saga.Card")));
    }

    /** What somebody may do who can write to the store. */
    private void change(MessageRecord stored, String json) {
        Map<String, String> content = new LinkedHashMap<>(stored.steps());
        content.put("saga", json);
        assertThat(store.writeTogether(List.of(stored.nextContent(stored.state(), "thief", stored.listing(), content))))
                .isInstanceOf(JointWrite.Written.class);
    }

    private static String json(MessageRecord saga) {
        return Objects.requireNonNull(saga.steps().get("saga"));
    }

    private static String state(String json) {
        return json.replaceAll(".*(\"sealed:[^\"]*\").*", "$1");
    }

    @Test
    void areFoundNowhereInTheStoreAndGivenToTheMethods() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        send("o-1", new Paid("-"));
        send("o-1", new Paid("-"));

        assertThat(marked.given).containsExactly(new State(PAN, 0), new State(PAN, 1));
        assertThat(json(stored("o-1"))).contains("\"state\":\"sealed:");
        assertThat(store.written).isNotEmpty().noneMatch(CANARY::isIn);
    }

    @Test
    void areFoundWhereNothingIsMarked() {
        shop(codecs(), new Clear());
        send("o-1", new Buy(PAN));

        assertThat(store.written).anyMatch(CANARY::isIn);
    }

    @Test
    void areEncryptedIfTheirOwnClassIsMarked() {
        shop(codecs(), new OfMarkedState());
        send("o-1", new Buy(PAN));

        assertThat(view("o-1").encrypted()).isTrue();
        assertThat(store.written).noneMatch(CANARY::isIn);
    }

    @Test
    void areNotShownAndNotPatched() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));

        SagaView seen = view("o-1");
        assertThat(seen.encrypted()).isTrue();
        assertThat(seen.state()).isEmpty();
        assertThat(seen.stateVersion()).isEqualTo(1);
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> Objects.requireNonNull(shop.get(Sagas.class))
                        .patch("Card", "o-1", seen.version(), "{\"pan\":\"" + PAN + "\"}", "a typo"))
                .withMessageContainingAll("encrypted", "@Upgrade")
                .withMessageNotContaining(PAN);
        assertThat(store.written).noneMatch(CANARY::isIn);
    }

    @Test
    void ofAnotherSagaAreNotTaken() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        send("o-2", new Buy("1"));
        change(stored("o-2"), json(stored("o-2")).replace(state(json(stored("o-2"))), state(json(stored("o-1")))));
        send("o-2", new Paid("-"));

        assertThat(marked.given).isEmpty();
        assertThat(poisonReasons()).containsExactly("undecryptable");
        assertThat(view("o-2").status()).isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void underAnotherVersionAreNotTaken() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        change(stored("o-1"), json(stored("o-1")).replace("\"stateVersion\":1", "\"stateVersion\":0"));
        send("o-1", new Paid("-"));

        assertThat(marked.given).isEmpty();
        assertThat(poisonReasons()).containsExactly("undecryptable");
    }

    @Test
    void inClearAreRefusedUnlessTheClassChangesOver() {
        shop(codecs(), new Clear());
        send("o-1", new Buy(PAN));
        shop(codecs(), marked);
        send("o-1", new Paid("-"));

        assertThat(marked.given).isEmpty();
        assertThat(poisonReasons()).containsExactly("not-encrypted");

        shop(codecs("saga.Card"), marked);
        WireMessage refused = broker.messages(POISON).get(0);
        assertThat(refused.messageId())
                .isEqualTo(
                        view("o-1").stuckOn() == null
                                ? ""
                                : view("o-1").stuckOn().messageId());
        send("o-2", new Buy("2"));
        send("o-2", new Paid("-"));
        assertThat(marked.given).containsExactly(new State("2", 0));
        assertThat(json(stored("o-2"))).contains("\"state\":\"sealed:");
    }

    @Test
    void inClearBecomeEncryptedWhileTheClassChangesOver() {
        shop(codecs(), new Clear());
        send("o-1", new Buy(PAN));
        shop(codecs("saga.Card"), marked);
        send("o-1", new Paid("-"));

        assertThat(marked.given).containsExactly(new State(PAN, 0));
        assertThat(json(stored("o-1"))).contains("\"state\":\"sealed:");
        assertThat(CANARY.isIn(json(stored("o-1")))).isFalse();
    }

    @Test
    void waitForAnInstanceWhoseClassIsMarked() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        Clear older = new Clear();
        shop(codecs(), older);
        send("o-1", new Paid("-"));
        assertThat(older.given).isEmpty();

        shop(codecs(), marked);
        timeline.advance(Duration.ofMinutes(1));
        assertThat(marked.given).containsExactly(new State(PAN, 0));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void whoseKeysAreAwayWaitAtNoCost() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        shop(codecs(), marked); // which has opened no key yet
        keys.goAway();
        send("o-1", new Paid("-"));
        timeline.advance(Duration.ofMinutes(5));
        assertThat(marked.given).isEmpty();
        keys.comeBack();
        timeline.advance(Duration.ofSeconds(5));

        assertThat(marked.given).containsExactly(new State(PAN, 0));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void whoseKeysAreAwayWaitWithTheirTimeouts() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        shop(codecs(), marked);
        keys.goAway();
        timeline.advance(Duration.ofDays(1).plusMinutes(30));
        assertThat(marked.timedOut).isFalse();
        keys.comeBack();
        timeline.advance(Duration.ofSeconds(5));

        assertThat(marked.timedOut).isTrue();
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void whoseKeyIsUnknownAreWaitedForWithDelayedRetries() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        keys = MemoryKeys.of("other");
        shop(codecs(), marked);
        send("o-1", new Paid("-"));
        timeline.advance(Duration.ofSeconds(119));
        assertThat(broker.depth(POISON)).isZero();

        timeline.advance(Duration.ofSeconds(2));
        assertThat(marked.given).isEmpty();
        assertThat(poisonReasons()).containsExactly("undecryptable");
        assertThat(view("o-1").status()).isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void needKeysAtTheStart() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> shop(Codecs.none(), marked))
                .withMessageContainingAll("SB-1314", Marked.class.getName());
    }

    @Test
    void areReadThroughRotations() {
        shop(codecs(), marked);
        send("o-1", new Buy(PAN));
        for (int i = 0; i < 20; i++) {
            keys.rotate("payments");
            timeline.advance(DataKeys.RENEWED_AFTER);
            send("o-1", new Paid("-"));
        }

        assertThat(marked.given).hasSize(20).last().isEqualTo(new State(PAN, 19));
    }
}
