// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.SubjectKey;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.keys.KeyLook;
import io.safebunny.keys.KeyVerdict;
import io.safebunny.keys.KeysInUse;
import io.safebunny.keys.Place;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.StoredPage;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.test.encryption.MemorySubjectKeys;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** A key is in use as long as one body under it lies anywhere; that it can be removed is only said where every place is known. */
class KeysInUseTest {

    @Encrypted(key = "payments")
    record Charge(String card) {}

    record Plain(String text) {}

    @Encrypted(key = "payments")
    record State(String card) {}

    @BunnySaga(name = "Card")
    static class CardSaga {
        @Starts
        @BunnyHandler(from = "orders")
        State on(Plain plain, SagaContext saga) {
            return new State("4242");
        }
    }

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final MemoryKeys keys = MemoryKeys.of("payments", "subjects");
    private final MemorySubjectKeys persons = new MemorySubjectKeys();
    private final MemoryMessageStore kept = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private boolean isAway;
    private @Nullable Error error;
    private boolean isBrokerAway;
    private boolean cannotList;
    private @Nullable Outbox outbox;
    private @Nullable BiConsumer<Object, MessageContext> handler;
    private List<SagaDefinition> sagas = List.of();
    private final List<SafeBunnyEngine> running = new ArrayList<>();

    /** Away for who asks for all, or not able to list. */
    private final class Store extends ForwardingMessageStore {
        Store(MessageStore wrapped) {
            super(wrapped);
        }

        @Override
        public @Nullable StoredPage<MessageRecord> findAll(@Nullable String after, int limit) {
            if (isAway) {
                throw new StoreUnavailableException("away", null, null);
            }
            if (error != null) {
                throw error;
            }
            return cannotList ? null : super.findAll(after, Math.min(limit, 2));
        }
    }

    private final class Broker extends ForwardingTransport {
        Broker(Transport wrapped) {
            super(wrapped);
        }

        @Override
        public BrowsedQueue browse(String queue) {
            if (isBrokerAway) {
                throw new BrowsingException(queue, "there is no connection", null);
            }
            return super.browse(queue);
        }
    }

    private Transport transport() {
        return new MemoryTransport(broker, TopologyOptions.defaults(), Runnable::run);
    }

    private static final class Waiting implements Outbox {
        final List<OutboundMessage> messages = new ArrayList<>();

        @Override
        public boolean add(OutboundMessage message) {
            return messages.add(message);
        }

        @Override
        public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

        @Override
        public List<Unsent> findCorrelated(String correlationId, int limit) {
            return List.of();
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            return List.of();
        }

        @Override
        public StoredPage<OutboundMessage> findAll(@Nullable String after, int limit) {
            int from = after == null ? 0 : Integer.parseInt(after);
            int to = Math.min(messages.size(), from + 1);
            return new StoredPage<>(messages.subList(from, to), 0, to == messages.size() ? null : String.valueOf(to));
        }

        @Override
        public void stop() {}
    }

    private Codecs codecs() {
        Subjects subjects = new Subjects(keys, "subjects", persons, timeline);
        return new Codecs(List.of(new EncryptingCodec(keys, timeline, Set.of(), subjects)), null);
    }

    private SafeBunnyEngine node(String name) {
        boolean isBilling = name.equals("billing");
        SafeBunnyEngine engine =
                new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of(name), new Broker(transport()), timeline)
                        .store(isBilling ? new Store(kept) : null)
                        .outbox(isBilling ? outbox : null)
                        .scheduling(isBilling)
                        .codecs(codecs())
                        .callbacks(Runnable::run)
                        .build());
        BiConsumer<Object, MessageContext> own = handler;
        engine.start(
                isBilling && own != null
                        ? List.of(new HandlerDefinition(
                                "charge",
                                "Charge",
                                Charge.class,
                                List.of("orders", "billing"),
                                10,
                                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                                own::accept))
                        : List.of(),
                isBilling ? sagas : List.of());
        running.add(engine);
        return engine;
    }

    private static List<SagaDefinition> cardSaga() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("card", new CardSaga());
        HandlerDefaults defaults =
                new HandlerDefaults(10, new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0), RetryStrategy.none());
        return new SagaScanner(beans, defaults, null).sagas();
    }

    private void publish(Object payload) {
        node("orders").bunny().publish(payload, PublishOptions.none().withCorrelationId("c-1"));
    }

    /** All instances begin anew, and encrypt with the next version. */
    private SafeBunnyEngine rotated() {
        running.forEach(engine -> engine.stop(Duration.ofSeconds(1)));
        running.clear();
        keys.rotate("payments");
        keys.rotate("subjects");
        return node("billing");
    }

    private static KeyLook look(SafeBunnyEngine engine, VirtualTimeline timeline) {
        KeysInUse inUse = engine.get(KeysInUse.class);
        KeyLook unused = inUse.begin();
        timeline.advance(Duration.ofMinutes(1));
        KeyLook look = Objects.requireNonNull(inUse.latest());
        assertThat(look.endedAt()).isNotNull();
        return look;
    }

    /** As long after the last message under the old key as messages may be old. */
    private KeyVerdict verdict(SafeBunnyEngine engine) {
        return verdict(engine, "payments-1");
    }

    private KeyVerdict verdict(SafeBunnyEngine engine, String key) {
        Instant unsentSince = timeline.now().minus(Duration.ofDays(8));
        KeyLook unused = look(engine, timeline);
        return engine.get(KeysInUse.class).verdict(key, unsentSince);
    }

    private static void requireUsed(KeyVerdict verdict, Place place) {
        assertThat(verdict.usedAt()).as(verdict.sentence()).containsOnlyKeys(place);
        assertThat(verdict.removable()).isFalse();
        assertThat(verdict.sentence())
                .matches("%s is in use at instance \\S+ of node billing: %s.*".formatted(verdict.key(), place.words()));
    }

    private static void requireRemovable(KeyVerdict verdict) {
        assertThat(verdict.removable()).as(verdict.sentence()).isTrue();
        assertThat(verdict.sentence())
                .matches(verdict.key()
                        + " can be removed at instance \\S+ of node billing: .* Ask each instance of the node\\.");
    }

    private static void requireUnknown(KeyVerdict verdict, String why) {
        assertThat(verdict.removable()).as(verdict.sentence()).isFalse();
        assertThat(verdict.unknown()).anyMatch(text -> text.contains(why));
        assertThat(verdict.sentence())
                .startsWith("It is not known whether")
                .contains(" at instance ", " of node billing. Unknown: ", why);
    }

    @Test
    void inThePoisonQueueAndItsArchive() {
        handler = (payload, context) -> {
            throw new IllegalStateException("fails");
        };
        node("billing");
        publish(new Charge("4242"));
        SafeBunnyEngine billing = rotated();
        requireUsed(verdict(billing), Place.POISON);

        PoisonMessages poison = billing.get(PoisonMessages.class);
        poison.discard(PoisonRequest.of(PoisonFilter.all(), "somebody", "test"));
        timeline.advance(Duration.ofSeconds(5));
        requireUsed(verdict(billing), Place.ARCHIVE);

        try (BrowsedQueue archive = transport().browse("billing-poison-archive")) {
            Objects.requireNonNull(archive.next()).acknowledge();
        }
        kept.removeExpired(1_000);
        requireRemovable(verdict(billing));
    }

    @Test
    void inResultsOfOnce() {
        handler = (payload, context) -> {
            String unused = context.once("charge", String.class, () -> "authorised");
        };
        node("billing");
        publish(new Charge("4242"));
        SafeBunnyEngine billing = rotated();
        requireUsed(verdict(billing), Place.RECORDS);

        timeline.advance(Duration.ofDays(8));
        kept.removeExpired(1_000);
        requireRemovable(verdict(billing));
    }

    @Test
    void inPublicationsThatAreNotConfirmed() {
        outbox = new Waiting();
        node("billing").bunny().publish(new Charge("4242"));
        SafeBunnyEngine billing = rotated();
        requireUsed(verdict(billing), Place.OUTBOX);

        ((Waiting) Objects.requireNonNull(outbox)).messages.clear();
        requireRemovable(verdict(billing));
    }

    @Test
    void inStatesOfSagas() {
        sagas = cardSaga();
        node("billing");
        publish(new Plain("-"));
        requireUsed(verdict(rotated()), Place.SAGAS);
    }

    @Test
    void inScheduledMessages() {
        handler = (payload, context) -> {};
        String unused = node("billing")
                .get(ScheduledMessages.class)
                .schedule(new Charge("4242"), PublishOptions.none().withDelay(Duration.ofDays(300)));
        requireUsed(verdict(rotated()), Place.SCHEDULED);
    }

    @Test
    void underKeysOfPersons() {
        persons.addIfAbsent(new SubjectKey("0".repeat(32), "ada", "subjects-1", new byte[] {1}, null));
        SafeBunnyEngine billing = rotated();
        requireUsed(verdict(billing, "subjects-1"), Place.PERSONS);
        requireRemovable(verdict(billing, "payments-1"));

        persons.erase("ada", timeline.now());
        requireRemovable(verdict(billing, "subjects-1"));
    }

    @Test
    void withWhichThisInstanceEncrypts() {
        outbox = new Waiting();
        SafeBunnyEngine billing = node("billing");
        billing.bunny().publish(new Charge("4242"));
        ((Waiting) Objects.requireNonNull(outbox)).messages.clear();

        requireUsed(verdict(billing), Place.THIS_INSTANCE);
        assertThat(billing.get(KeysInUse.class).encryptsWith()).containsExactly("payments-1");
    }

    @Test
    void inQueuesForAsLongAsMessagesAreHandled() {
        handler = (payload, context) -> {};
        SafeBunnyEngine billing = rotated();
        KeyLook looked = look(billing, timeline);
        KeysInUse inUse = billing.get(KeysInUse.class);

        requireUnknown(inUse.verdict("payments-1", null), "unsentSince");
        requireUnknown(inUse.verdict("payments-1", looked.begunAt().minus(Duration.ofDays(7))), "look again then");
        requireRemovable(inUse.verdict(
                "payments-1", looked.begunAt().minus(Duration.ofDays(7).plusHours(1))));
    }

    @Test
    void areNotKnownBeforeALookAndWhileItGoesOn() {
        SafeBunnyEngine billing = rotated();
        KeysInUse inUse = billing.get(KeysInUse.class);
        requireUnknown(inUse.verdict("payments-1", null), "begin a look");

        KeyLook unused = inUse.begin();
        requireUnknown(inUse.verdict("payments-1", null), "still running");
    }

    /** What is too old to be handled is young again once somebody replays it. */
    @Test
    void inQueuesAgainAfterAReplay() {
        handler = (payload, context) -> {
            throw new IllegalStateException("fails");
        };
        node("billing");
        publish(new Charge("4242"));
        Instant unsentSince = timeline.now();
        handler = (payload, context) -> {};
        SafeBunnyEngine billing = rotated();
        timeline.advance(Duration.ofDays(8));
        KeysInUse inUse = billing.get(KeysInUse.class);
        requireUsed(verdict(billing), Place.POISON);

        BunnyOperations.Result paused = billing.get(BunnyOperations.class)
                .pause("Charge", Duration.ofDays(1), BunnyOperations.Scope.INSTANCE, "test", "somebody");
        assertThat(paused.instances()).isNotEmpty();
        billing.get(PoisonMessages.class)
                .replay(PoisonRequest.of(PoisonFilter.all(), "somebody", "test").withForce());
        timeline.advance(Duration.ofSeconds(5));
        Instant replayedAt = timeline.now();
        kept.removeExpired(1_000);
        KeyLook unused = look(billing, timeline);
        requireUnknown(inUse.verdict("payments-1", unsentSince), "counts as a sending");
        requireUnknown(inUse.verdict("payments-1", replayedAt), "look again then");

        timeline.advance(Duration.ofDays(8));
        kept.removeExpired(1_000);
        unused = look(billing, timeline);
        requireUnknown(inUse.verdict("payments-1", unsentSince), "counts as a sending");
        requireRemovable(inUse.verdict("payments-1", replayedAt));
    }

    @Test
    void inQueuesWhoseHandlersOtherInstancesHave() {
        SafeBunnyEngine billing = rotated();
        KeyLook unused = look(billing, timeline);

        requireUnknown(billing.get(KeysInUse.class).verdict("payments-1", null), "queues: they cannot be searched");
    }

    @Test
    void areNotKnownUnderAnotherSpelling() {
        handler = (payload, context) -> {
            throw new IllegalStateException("fails");
        };
        node("billing");
        publish(new Charge("4242"));
        SafeBunnyEngine billing = rotated();
        for (String misspelled : List.of("payments", "Payments-1", "payments-01", "payments-9", "payments:v1", "")) {
            requireUnknown(verdict(billing, misspelled), "no key of this id was found");
            requireUnknown(verdict(billing, misspelled), "Ids found here: payments-1");
        }
        keys.goAway();
        requireUnknown(verdict(billing, "payments"), "the KeyProvider does not answer");
    }

    @Test
    void areNotKnownAfterAnErrorAndLookedForAgain() {
        SafeBunnyEngine billing = rotated();
        error = new NoClassDefFoundError("io/safebunny/Gone");
        requireUnknown(verdict(billing), "it failed (java.lang.NoClassDefFoundError)");

        error = null;
        requireRemovable(verdict(billing));
    }

    @Test
    void areNotKnownWhileTheStoreIsAway() {
        SafeBunnyEngine billing = rotated();
        isAway = true;
        requireUnknown(
                verdict(billing),
                "records, results of once, messages in order, sagas, scheduled messages, other records: the store did not answer, 5 times in a row");

        isAway = false;
        requireRemovable(verdict(billing));
    }

    @Test
    void areFoundOnceTheStoreIsBack() {
        outbox = new Waiting();
        node("billing").bunny().publish(new Charge("4242"));
        SafeBunnyEngine billing = rotated();
        isAway = true;
        KeyLook unused = billing.get(KeysInUse.class).begin();
        timeline.advance(Duration.ofSeconds(7));
        isAway = false;
        timeline.advance(Duration.ofMinutes(1));

        requireUsed(billing.get(KeysInUse.class).verdict("payments-1", null), Place.OUTBOX);
    }

    @Test
    void areNotKnownWhereTheStoreCannotListThem() {
        SafeBunnyEngine billing = rotated();
        cannotList = true;

        requireUnknown(verdict(billing), "cannot list");
    }

    @Test
    void areNotKnownWhereThePlaceOfPersonsIsAway() {
        SafeBunnyEngine billing = rotated();
        persons.goAway();

        requireUnknown(verdict(billing), "keys of persons");
    }

    @Test
    void areNotKnownWithoutTheBroker() {
        SafeBunnyEngine billing = rotated();
        isBrokerAway = true;

        requireUnknown(verdict(billing), "poison queue");
    }
}
