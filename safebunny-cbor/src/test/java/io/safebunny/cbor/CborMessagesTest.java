// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyMessage;
import io.safebunny.PublishOptions;
import io.safebunny.Upcast;
import io.safebunny.crypto.EncryptingCodec;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.Compression;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.poison.PoisonCopy;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Messages in CBOR, from one node to another. */
class CborMessagesTest {

    private static final String POISON = "billing-poison";

    @BunnyMessage(format = "cbor")
    record OrderPlaced(String order, long cents) {}

    /** As it was before it changed its format. */
    @BunnyMessage("OrderPlaced")
    record OrderPlacedInJson(String order, long cents) {}

    @BunnyMessage(value = "OrderPlaced", format = "cbor", version = 2)
    record OrderPlacedLater(String order, String total) {

        @Upcast(from = 1)
        static ObjectNode total(ObjectNode first) {
            first.put("total", first.path("cents").asLong() / 100 + " EUR");
            return first;
        }
    }

    @Encrypted(key = "payments")
    @BunnyMessage(value = "OrderPlaced", format = "cbor")
    record CardCharged(String pan) {}

    @BunnyMessage(format = "protobuf")
    record Unwritable(String order) {}

    private static final Serializers BOTH =
            new Serializers(List.of(new JsonMessageSerializer(), new CborMessageSerializer()));

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final List<Object> handled = new ArrayList<>();
    private final List<WireMessage> sent = new ArrayList<>();
    private Consumer<Object> handler = handled::add;
    private Codecs codecs = Codecs.none();
    private UnaryOperator<WireMessage> onTheWire = UnaryOperator.identity();

    private final class Wire extends ForwardingTransport {

        Wire(SafeBunnyOptions options) {
            super(new MemoryTransport(broker, options.topology(), Runnable::run));
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            WireMessage wire = onTheWire.apply(message.message());
            sent.add(wire);
            return super.send(message.withMessage(wire), deadline);
        }
    }

    private SafeBunnyEngine node(String name, Serializers serializers, HandlerDefinition... handlers) {
        SafeBunnyOptions options = SafeBunnyOptions.of(name);
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(options, new Wire(options), timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .serializers(serializers)
                .codecs(codecs)
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private HandlerDefinition handles(Class<?> payload) {
        return new HandlerDefinition(
                "orders",
                "OrderPlaced",
                payload,
                List.of("orders"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (message, context) -> handler.accept(message));
    }

    private String poisonHeader(String name) {
        List<WireMessage> poison = broker.messages(POISON);
        assertThat(poison).hasSize(1);
        return String.valueOf(poison.get(0).headers().get(name));
    }

    @Test
    void areWrittenAsTheClassSaysAndReadByTheirContentType() {
        node("billing", BOTH, handles(OrderPlaced.class));
        SafeBunnyEngine orders = node("orders", BOTH);
        orders.bunny().publish(new OrderPlaced("o-1", 1999));
        orders.bunny().publish(new OrderPlacedInJson("o-2", 7));

        assertThat(sent.stream().map(WireMessage::contentType)).containsExactly("application/cbor", "application/json");
        assertThat(sent.get(0).body()).hasSizeLessThan(sent.get(1).body().length);
        assertThat(handled).containsExactly(new OrderPlaced("o-1", 1999), new OrderPlaced("o-2", 7));
    }

    /** The order of a change without a common deployment: first the readers get the module, then the writers say the format. */
    @Test
    void aReaderIsReadyBeforeItsClassSaysTheFormat() {
        node("billing", BOTH, handles(OrderPlacedInJson.class));
        node("orders", BOTH).bunny().publish(new OrderPlaced("o-1", 1999));

        assertThat(handled).containsExactly(new OrderPlacedInJson("o-1", 1999));
    }

    @Test
    void withoutTheModuleTheyAreRefusedByNameOfIt() {
        Serializers json = new Serializers(List.of(new JsonMessageSerializer()));
        node("billing", json, handles(OrderPlacedInJson.class));
        node("orders", BOTH).bunny().publish(new OrderPlaced("o-1", 1999));

        assertThat(handled).isEmpty();
        assertThat(poisonHeader("sb-poison-reason")).isEqualTo("malformed-body");
        assertThat(poisonHeader("x-exception-message"))
                .contains("Unknown content type [application/cbor]", "Add safebunny-cbor.");
        SafeBunnyEngine other = node("other", json);
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> other.bunny().publish(new OrderPlaced("o-1", 1)))
                .withMessageContaining("format=cbor, formats=[json]")
                .withMessageContaining("Add safebunny-cbor.");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> node("another", json, handles(OrderPlaced.class)))
                .withMessageContaining("SB-1315");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> node("more", BOTH, handles(Unwritable.class)))
                .withMessageContaining("format=protobuf, formats=[cbor, json]");
    }

    @Test
    void areUpcast() {
        node("billing", BOTH, handles(OrderPlacedLater.class));
        SafeBunnyEngine orders = node("orders", BOTH);
        orders.bunny().publish(new OrderPlaced("o-1", 1999));
        orders.bunny().publish(new OrderPlacedInJson("o-2", 700));
        orders.bunny().publish(new OrderPlacedLater("o-3", "1 EUR"));

        assertThat(handled)
                .containsExactly(
                        new OrderPlacedLater("o-1", "19 EUR"),
                        new OrderPlacedLater("o-2", "7 EUR"),
                        new OrderPlacedLater("o-3", "1 EUR"));
    }

    @Test
    void areCompressedAsJsonIs() {
        codecs = new Codecs(List.of(), null, new Compression(100, false));
        node("billing", BOTH, handles(OrderPlaced.class));
        OrderPlaced large = new OrderPlaced("o".repeat(1_000), 1);
        node("orders", BOTH).bunny().publish(large);

        assertThat(sent.get(0).contentEncoding()).isEqualTo("gzip");
        assertThat(sent.get(0).contentType()).isEqualTo("application/cbor");
        assertThat(handled).containsExactly(large);
    }

    @Test
    void areEncryptedAsJsonIs() {
        codecs = new Codecs(List.of(new EncryptingCodec(MemoryKeys.of("payments"), timeline, Set.of())), null);
        node("billing", BOTH, handles(CardCharged.class));
        node("orders", BOTH).bunny().publish(new CardCharged("4111"));

        assertThat(sent.get(0).contentType()).isEqualTo("application/cbor");
        assertThat(sent.get(0).contentEncoding()).isEqualTo("sb-aes");
        assertThat(sent.get(0).body()).asString(StandardCharsets.ISO_8859_1).doesNotContain("4111");
        assertThat(handled).containsExactly(new CardCharged("4111"));
    }

    @Test
    void aRepeatIsARepeat() {
        node("billing", BOTH, handles(OrderPlaced.class));
        SafeBunnyEngine orders = node("orders", BOTH);
        for (int i = 0; i < 3; i++) {
            orders.bunny()
                    .publish(new OrderPlaced("o-1", 1999), PublishOptions.none().withIdempotencyKey("one"));
        }

        assertThat(sent).hasSize(3);
        assertThat(handled).hasSize(1);
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void theirPoisonIsShownAndEditedAsJson() {
        handler = message -> {
            throw new IllegalStateException("no");
        };
        PoisonMessages poison =
                node("billing", BOTH, handles(OrderPlaced.class)).get(PoisonMessages.class);
        node("orders", BOTH).bunny().publish(new OrderPlaced("o-1", 1999));
        WireMessage copy = broker.messages(POISON).get(0);
        assertThat(copy.contentType()).isEqualTo("application/cbor");

        PoisonCopy shown = poison.find(String.valueOf(copy.messageId()), 10_000).get(0);
        assertThat(shown.body()).asString(StandardCharsets.UTF_8).isEqualTo("{\"order\":\"o-1\",\"cents\":1999}");

        var edited = poison.edit(new PoisonEdit(
                String.valueOf(copy.messageId()),
                shown.message().digest(),
                "{\"order\":\"o-1\",\"cents\":2000}".getBytes(StandardCharsets.UTF_8),
                "tester",
                "a price"));
        assertThat(edited).isNotNull();
        assertThat(broker.messages(POISON).get(0).contentType()).isEqualTo("application/json");
        handler = handled::add;
        var replay = poison.replay(PoisonRequest.of(PoisonFilter.all(), "tester", "edited"));
        assertThat(replay).isNotNull();
        timeline.advance(Duration.ofMinutes(1));
        assertThat(handled).containsExactly(new OrderPlaced("o-1", 2000));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void jsonUnderTheContentTypeOfCborIsRefused() {
        onTheWire = wire -> new WireMessage(
                wire.messageId(),
                wire.correlationId(),
                wire.type(),
                wire.appId(),
                wire.timestamp(),
                "application/cbor",
                null,
                wire.headers(),
                wire.body());
        node("billing", BOTH, handles(OrderPlaced.class));
        node("orders", BOTH).bunny().publish(new OrderPlacedInJson("o-1", 1999));

        assertThat(handled).isEmpty();
        assertThat(sent).isNotEmpty();
        assertThat(broker.depth(POISON)).isEqualTo(1);
    }
}
