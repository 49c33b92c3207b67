// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyCircuitBreaker;
import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.PublishOptions;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.operations.NodeCondition;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages of a marked type, from one node to another. */
class EncryptedMessagesTest {

    private static final String PAN = "4111111111111111";
    private static final String POISON = "billing-poison";

    @Encrypted(key = "payments")
    private record CardCharged(String pan) {}

    @Encrypted(key = "payments")
    private interface Secret {}

    private record Whispered(String text) implements Secret {}

    @Encrypted(key = "nobodys")
    private record Unkeyed(String text) {}

    private record Plain(String text) {}

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final MemoryKeys keys = MemoryKeys.of("payments");
    private final Map<String, CircuitBreakers> breakers = new LinkedHashMap<>();
    private final List<Object> handled = new ArrayList<>();
    private final List<WireMessage> sent = new ArrayList<>();
    private Consumer<Object> handler = handled::add;
    private UnaryOperator<WireMessage> onTheWire = UnaryOperator.identity();
    private Set<String> acceptClear = Set.of();

    private final class Wire extends ForwardingTransport {
        private final boolean isSenders;

        Wire(SafeBunnyOptions options) {
            super(new MemoryTransport(broker, options.topology(), Runnable::run));
            this.isSenders = options.node().equals("orders");
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            WireMessage wire = isSenders ? onTheWire.apply(message.message()) : message.message();
            sent.add(wire);
            return super.send(message.withMessage(wire), deadline);
        }
    }

    private SafeBunnyEngine node(String name, Codecs codecs, HandlerDefinition... handlers) {
        SafeBunnyOptions options = SafeBunnyOptions.of(name);
        CircuitBreakers own = new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run);
        breakers.put(name, own);
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(options, new Wire(options), timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .codecs(codecs)
                .breakers(own)
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private Codecs codecs(MemoryKeys own) {
        return new Codecs(List.of(new EncryptingCodec(own, timeline, acceptClear)), null);
    }

    private HandlerDefinition definition() {
        return new HandlerDefinition(
                "orders",
                "CardCharged",
                CardCharged.class,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(2, Duration.ofMinutes(1))),
                (payload, context) -> handler.accept(payload));
    }

    private SafeBunnyEngine billing() {
        return node("billing", codecs(keys), definition());
    }

    private SafeBunnyEngine orders() {
        return node("orders", codecs(keys));
    }

    private static String text(WireMessage message) {
        return new String(message.body(), StandardCharsets.ISO_8859_1);
    }

    private String poisonReason() {
        List<WireMessage> poison = broker.messages(POISON);
        assertThat(poison).hasSize(1);
        return String.valueOf(poison.get(0).headers().get("sb-poison-reason"));
    }

    @Test
    void areEncryptedOnTheWireAndReadByTheirHandler() {
        billing();
        orders().bunny().publish(new CardCharged(PAN));

        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).contentEncoding()).isEqualTo("sb-aes");
        assertThat(sent.get(0).contentType()).isEqualTo("application/json");
        assertThat(text(sent.get(0))).startsWith("SB1").contains("payments-1").doesNotContain(PAN, "pan");
        assertThat(handled).containsExactly(new CardCharged(PAN));
    }

    @Test
    void othersAreNot() {
        node(
                "billing",
                codecs(keys),
                new HandlerDefinition(
                        "plain",
                        "Plain",
                        Plain.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> handler.accept(payload)));
        orders().bunny().publish(new Plain("hello"));

        assertThat(sent.get(0).contentEncoding()).isNull();
        assertThat(text(sent.get(0))).contains("hello");
    }

    @Test
    void noTwoBodiesAreAlikeAndARepeatIsARepeatAllTheSame() {
        billing();
        SafeBunnyEngine orders = orders();
        for (int i = 0; i < 1_000; i++) {
            orders.bunny().publish(new CardCharged(PAN), PublishOptions.none().withIdempotencyKey("one"));
        }

        assertThat(sent.stream().map(EncryptedMessagesTest::text).distinct()).hasSize(1_000);
        assertThat(sent.stream().map(WireMessage::messageId).distinct()).hasSize(1);
        assertThat(handled).hasSize(1);
        assertThat(broker.depth(POISON)).isZero();
    }

    /** What whoever can publish may try with a body that is not theirs. */
    @Test
    void aBodyUnderAnotherIdentityReachesNoHandler() {
        billing();
        String other = "283fefc6-3f0c-50e8-83a0-000c6d07ef7c";
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put("message_id", other);
        changes.put("correlation_id", other);
        changes.put("app_id", "shipping");
        changes.put("content_type", "text/json");
        changes.put("sb-marker", 7);
        changes.put("sb-sent-at", timeline.now().toEpochMilli() + 1);
        changes.put("sb-made-at", 1L);
        changes.put("sb-causation-id", other);
        changes.put("sb-undoes", other);
        changes.put("sb-order-key", "k");
        changes.put("sb-version", 1_000);
        changes.put("last bit", "body");
        changes.put("wrapped key", "body");
        SafeBunnyEngine orders = orders();
        changes.forEach((what, value) -> {
            onTheWire = wire -> switch (what) {
                case "last bit" -> with(wire, "body", flipped(wire.body(), wire.body().length - 1));
                case "wrapped key" -> with(wire, "body", flipped(wire.body(), 20));
                default -> with(wire, what, value);
            };
            int before = broker.depth(POISON);
            orders.bunny().publish(new CardCharged(PAN));
            onTheWire = UnaryOperator.identity();
            assertThat(broker.depth(POISON)).as(what).isEqualTo(before + 1);
        });

        assertThat(handled).isEmpty();
        assertThat(broker.messages(POISON))
                .extracting(message -> message.headers().get("sb-poison-reason"))
                .containsOnly("undecryptable");
    }

    /** The message with another value of a property or header. */
    private static WireMessage with(WireMessage wire, String what, @Nullable Object value) {
        Map<String, Object> headers = new LinkedHashMap<>(wire.headers());
        if (what.startsWith("sb-") && value != null) {
            headers.put(what, value);
        }
        return new WireMessage(
                (String) either(what, "message_id", value, wire.messageId()),
                (String) either(what, "correlation_id", value, wire.correlationId()),
                wire.type(),
                (String) either(what, "app_id", value, wire.appId()),
                wire.timestamp(),
                (String) either(what, "content_type", value, wire.contentType()),
                (String) either(what, "content_encoding", value, wire.contentEncoding()),
                headers,
                what.equals("body") && value != null ? (byte[]) value : wire.body());
    }

    private static @Nullable Object either(
            String what, String property, @Nullable Object value, @Nullable Object known) {
        return what.equals(property) ? value : known;
    }

    private static WireMessage clear(WireMessage wire, String body) {
        return with(with(wire, "content_encoding", null), "body", body.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] flipped(byte[] body, int at) {
        byte[] changed = body.clone();
        changed[at] ^= 1;
        return changed;
    }

    @Test
    void oneThatArrivesInClearIsRefusedBeforeItIsRead() {
        billing();
        onTheWire = wire -> clear(wire, "no json");
        orders().bunny().publish(new CardCharged(PAN));

        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("not-encrypted");
    }

    @Test
    void oneInClearIsTakenWhileItsTypeChangesOver() {
        acceptClear = Set.of("CardCharged");
        billing();
        onTheWire = wire -> clear(wire, "{\"pan\":\"1\"}");
        SafeBunnyEngine orders = orders();
        orders.bunny().publish(new CardCharged(PAN));
        onTheWire = UnaryOperator.identity();
        orders.bunny().publish(new CardCharged(PAN));

        assertThat(handled).containsExactly(new CardCharged("1"), new CardCharged(PAN));
    }

    @Test
    void aKeyThatIsNotKnownYetIsWaitedForWithDelayedRetries() {
        MemoryKeys without = MemoryKeys.of("other");
        node("billing", codecs(without), definition());
        orders().bunny().publish(new CardCharged(PAN));
        assertThat(handled).isEmpty();
        assertThat(broker.depth(POISON)).isZero();

        timeline.advance(Duration.ofMinutes(3));
        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("undecryptable");
        assertThat(sent)
                .extracting(message -> message.headers().get("sb-attempt"))
                .startsWith(0, 1, 2);
    }

    @Test
    void inOrderOneWaitsInItsPlaceForAsLongAsItsRetriesWouldTake() {
        node("billing", codecs(MemoryKeys.of("other")), definition().ordered(Ordering.HOLD));
        orders().bunny().publish(new CardCharged(PAN));
        timeline.advance(Duration.ofSeconds(119));
        assertThat(broker.depth(POISON)).isZero();

        timeline.advance(Duration.ofMinutes(1));
        assertThat(handled).isEmpty();
        assertThat(poisonReason()).isEqualTo("undecryptable");
        assertThat(broker.messages(POISON).get(0).headers()).containsEntry("sb-attempt", 0);
    }

    @Test
    void anotherKeyUnderTheSameIdIsNoReasonToWait() {
        node("billing", codecs(MemoryKeys.of("payments")), definition());
        orders().bunny().publish(new CardCharged(PAN));

        assertThat(poisonReason()).isEqualTo("undecryptable");
    }

    @Test
    void aSenderGoesOnForAnHourWithoutItsKeyService() {
        billing();
        SafeBunnyEngine orders = orders();
        orders.bunny().publish(new CardCharged("0"));
        keys.goAway();
        timeline.advance(DataKeys.LONGEST_USE.minusNanos(1));
        orders.bunny().publish(new CardCharged("1"));
        timeline.advance(Duration.ofNanos(1));

        assertThatExceptionOfType(KeysUnavailableException.class)
                .isThrownBy(() -> orders.bunny().publish(new CardCharged("2")));
        assertThat(handled).hasSize(2);
    }

    @Test
    void aKeyServiceThatIsAwayForFiveMinutesCostsNothing() {
        MemoryKeys withheld = keys;
        SafeBunnyEngine orders = orders();
        billing();
        orders.bunny().publish(new CardCharged("known"));
        handled.clear();
        String second = withheld.rotate("payments");
        timeline.advance(DataKeys.RENEWED_AFTER);
        onTheWire = wire -> {
            if (Integer.valueOf(0).equals(wire.headers().get("sb-attempt"))) {
                withheld.goAway(); // after the sender got its data key, and before the receiver opens it
            }
            return wire;
        };
        for (int i = 0; i < 50; i++) {
            orders.bunny().publish(new CardCharged("later " + i));
        }
        onTheWire = UnaryOperator.identity();
        timeline.advance(Duration.ofMinutes(5));
        assertThat(handled).isEmpty();
        withheld.comeBack();
        timeline.advance(Duration.ofSeconds(5));

        assertThat(second).isEqualTo("payments-2");
        assertThat(handled).hasSize(50);
        assertThat(sent)
                .extracting(message -> message.headers().get("sb-attempt"))
                .containsOnly(0);
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void aTypeThatWaitsForKeysSaysSoAndTellsWhenItGoesOn() {
        SafeBunnyEngine orders = orders();
        billing();
        List<Change> changes = new ArrayList<>();
        BunnyCircuitBreaker breaker = Objects.requireNonNull(breakers.get("billing"));
        breaker.addListener(changes::add);
        onTheWire = wire -> {
            keys.goAway();
            return wire;
        };
        Instant since = timeline.now();
        orders.bunny().publish(new CardCharged("1"));
        timeline.advance(Duration.ofMinutes(5));

        assertThat(breaker.statuses()).hasEntrySatisfying("CardCharged", status -> assertThat(status.withoutKeysSince())
                .isEqualTo(since));
        assertThat(NodeCondition.breakers(breaker.statuses()).words())
                .contains("CardCharged (since " + since, "keys are away: The keys of this test are away");

        keys.comeBack();
        timeline.advance(Duration.ofSeconds(5));
        assertThat(handled).containsExactly(new CardCharged("1"));
        assertThat(breaker.statuses()).hasEntrySatisfying("CardCharged", status -> assertThat(status.withoutKeysSince())
                .isNull());
        assertThat(changes).last().satisfies(change -> {
            assertThat(change.to()).isEqualTo(State.CLOSED);
            assertThat(change.reason()).startsWith("a message could be read again");
        });
    }

    @Test
    void rotationsLoseNothing() {
        billing();
        SafeBunnyEngine orders = orders();
        for (int rotation = 0; rotation < 20; rotation++) {
            for (int i = 0; i < 100; i++) {
                orders.bunny().publish(new CardCharged(rotation + "/" + i));
            }
            keys.rotate("payments");
            timeline.advance(DataKeys.RENEWED_AFTER);
        }

        assertThat(handled).hasSize(2_000).doesNotHaveDuplicates();
        assertThat(text(sent.get(1_999))).contains("payments-20");
    }

    @Test
    void copiesForDelayedRetriesAreReadAgain() {
        handler = payload -> {
            throw new IllegalStateException("not yet");
        };
        billing();
        orders().bunny().publish(new CardCharged(PAN));
        handler = handled::add;
        timeline.advance(Duration.ofMinutes(1));

        assertThat(handled).containsExactly(new CardCharged(PAN));
        assertThat(sent).hasSize(2);
        assertThat(sent.get(1).body()).isEqualTo(sent.get(0).body());
    }

    @Test
    void aMarkedTypeIsNeitherHandledNorPublishedWithoutKeys() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> node("billing", Codecs.none(), definition()))
                .withMessageContainingAll("SB-1314", "CardCharged", "safebunny-crypto");
        SafeBunnyEngine orders = node("orders", Codecs.none());
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> orders.bunny().publish(new CardCharged(PAN)))
                .withMessageContainingAll("CardCharged", "safebunny-crypto")
                .withMessageNotContaining(PAN);
        assertThat(sent).isEmpty();
    }

    @Test
    void whatImplementsAMarkedInterfaceIsEncryptedToo() {
        node(
                "billing",
                codecs(keys),
                new HandlerDefinition(
                        "whispers",
                        "Whispered",
                        Whispered.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> handler.accept(payload)));
        SafeBunnyEngine orders = orders();
        orders.bunny().publish(new Whispered("s3cret"));
        onTheWire = wire -> clear(wire, "{\"text\":\"loud\"}");
        orders.bunny().publish(new Whispered("s3cret"));

        assertThat(handled).containsExactly(new Whispered("s3cret"));
        assertThat(text(sent.get(0))).doesNotContain("s3cret");
        assertThat(poisonReason()).isEqualTo("not-encrypted");
    }

    @Test
    void aKeyOfNobodyIsToldWhenItIsNeeded() {
        SafeBunnyEngine orders = orders();
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> orders.bunny().publish(new Unkeyed("x")))
                .withMessageContaining("nobodys");
    }
}
