// SPDX-License-Identifier: Apache-2.0
package io.safebunny.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.safebunny.PublishOptions;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Messages in protobuf, from one node to another; a struct stands for any message with a map. */
class ProtobufMessagesTest {

    private static final String POISON = "billing-poison";

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, Runnable::run);
    private final List<Object> handled = new ArrayList<>();
    private final List<WireMessage> sent = new ArrayList<>();
    private String encoding = "";
    private UnaryOperator<byte[]> bytes = UnaryOperator.identity();

    private final class Wire extends ForwardingTransport {

        Wire(SafeBunnyOptions options) {
            super(new MemoryTransport(broker, options.topology(), Runnable::run));
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            WireMessage wire = message.message();
            WireMessage written = new WireMessage(
                    wire.messageId(),
                    wire.correlationId(),
                    wire.type(),
                    wire.appId(),
                    wire.timestamp(),
                    wire.contentType(),
                    wire.contentEncoding(),
                    wire.headers(),
                    bytes.apply(wire.body()));
            sent.add(written);
            return super.send(message.withMessage(written), deadline);
        }
    }

    private SafeBunnyEngine node(String name, HandlerDefinition... handlers) {
        SafeBunnyOptions options = SafeBunnyOptions.of(name);
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(options, new Wire(options), timeline)
                .store(new MemoryMessageStore(timeline, Duration.ofDays(7)))
                .serializers(new Serializers(List.of(new JsonMessageSerializer(), new ProtobufMessageSerializer())))
                .codecs(encoding.isEmpty() ? Codecs.none() : new Codecs(List.of(), encoding))
                .callbacks(Runnable::run)
                .build());
        engine.start(List.of(handlers));
        return engine;
    }

    private void billing() {
        node(
                "billing",
                new HandlerDefinition(
                        "orders",
                        "Struct",
                        Struct.class,
                        List.of("orders"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (message, context) -> handled.add(message)));
    }

    private static Struct struct(String first, String second) {
        return Struct.newBuilder()
                .putFields("a", Value.newBuilder().setStringValue(first).build())
                .putFields("b", Value.newBuilder().setStringValue(second).build())
                .build();
    }

    /** The same message as another library may write it: its two entries in the other order. */
    private static byte[] reversed(byte[] body) {
        byte[] reversed = new byte[body.length];
        int half = body.length / 2;
        System.arraycopy(body, half, reversed, 0, half);
        System.arraycopy(body, 0, reversed, half, half);
        return reversed;
    }

    private static PublishOptions once() {
        return PublishOptions.none().withIdempotencyKey("one");
    }

    @Test
    void generatedClassesNeedNotSayTheirFormat() {
        billing();
        node("orders").bunny().publish(struct("x", "y"));

        assertThat(sent.get(0).contentType()).isEqualTo("application/x-protobuf");
        assertThat(handled).containsExactly(struct("x", "y"));
    }

    @Test
    void areCompressed() {
        encoding = "gzip";
        billing();
        node("orders").bunny().publish(struct("x".repeat(500), "y"));

        assertThat(sent.get(0).contentEncoding()).isEqualTo("gzip");
        assertThat(sent.get(0).body()).hasSizeLessThan(300);
        assertThat(handled).containsExactly(struct("x".repeat(500), "y"));
    }

    /** Neither the id of a message nor the comparison of duplicates depends on the order of its bytes. */
    @Test
    void aRepeatInAnotherOrderIsARepeat() {
        billing();
        SafeBunnyEngine orders = node("orders");
        orders.bunny().publish(struct("x", "y"), once());
        bytes = ProtobufMessagesTest::reversed;
        orders.bunny().publish(struct("x", "y"), once());

        assertThat(sent).hasSize(2);
        assertThat(sent.get(0).body()).isNotEqualTo(sent.get(1).body());
        assertThat(sent.get(0).messageId()).isEqualTo(sent.get(1).messageId());
        assertThat(handled).containsExactly(struct("x", "y"));
        assertThat(broker.depth(POISON)).isZero();
    }

    @Test
    void anotherMessageUnderTheSameIdIsRefused() {
        billing();
        SafeBunnyEngine orders = node("orders");
        orders.bunny().publish(struct("x", "y"), once());
        orders.bunny().publish(struct("x", "z"), once());

        assertThat(handled).containsExactly(struct("x", "y"));
        assertThat(broker.messages(POISON).get(0).headers().get("x-exception-message"))
                .asString()
                .contains("Another message with a different type or body has the same id");
    }
}
