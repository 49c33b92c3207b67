// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static io.safebunny.fixture.RecordingTransport.CONFIRM;
import static io.safebunny.fixture.RecordingTransport.NACK;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Envelope;
import io.safebunny.node.Codecs;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.serialization.BodyCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A step outside the handling fails, though none may: here a codec that throws what no codec is to throw. */
class DefectTest {

    private static final String ENCODING = "x-broken";

    private static final class Broken implements BodyCodec {
        @Override
        public String encoding() {
            return ENCODING;
        }

        @Override
        public byte[] encode(Envelope message) {
            return message.body();
        }

        @Override
        public byte[] decode(Envelope message, long maxSize) {
            throw new IllegalStateException("a bug (simulated)");
        }
    }

    private final RecordingTransport transport = new RecordingTransport();
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final List<SafeBunnyEvent> events = new ArrayList<>();

    private void start() {
        new SafeBunnyEngine(SafeBunnyParts.builder(SafeBunnyOptions.of("billing"), transport, timeline)
                        .codecs(new Codecs(List.of(new Broken()), null))
                        .callbacks(Runnable::run)
                        .listeners(List.of(events::add))
                        .build())
                .start(List.of(new HandlerDefinition(
                        "orders",
                        "OrderPlaced",
                        OrderPlaced.class,
                        List.of("orders"),
                        10,
                        Node.ONE_ATTEMPT,
                        (payload, context) -> {})));
    }

    private RecordedDelivery deliver(String queue, Wires message) {
        RecordedDelivery delivery = new RecordedDelivery(
                queue, message.with("content_encoding", ENCODING).wire());
        transport.deliver(delivery);
        return delivery;
    }

    private List<SafeBunnyEvent> givenUp() {
        return events.stream().filter(MessageGivenUp.class::isInstance).toList();
    }

    @Test
    void isPoisonAndGivenUpOnce() {
        start();
        RecordedDelivery delivery = deliver(Node.QUEUE, Wires.orderPlaced());

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(transport.poisoned()).hasSize(1);
        assertThat(events).hasSize(2).first().isInstanceOf(MessagePoisoned.class);
        assertThat(givenUp())
                .containsExactly(new MessageGivenUp(
                        "billing",
                        "OrderPlaced",
                        Wires.ID,
                        Wires.CORRELATION_ID,
                        0,
                        "handler-failed",
                        IllegalStateException.class.getName(),
                        VirtualTimeline.START));
    }

    @Test
    void isGivenUpOnceThoughTheBrokerMovesIt() {
        start();
        transport.answerAll(NACK);
        RecordedDelivery delivery = deliver(Node.QUEUE, Wires.orderPlaced());

        assertThat(delivery.rejected()).isEqualTo(1);
        assertThat(givenUp()).hasSize(1);

        transport.answerAll(CONFIRM);
        Map<String, Object> death = Map.of("queue", Node.QUEUE, "reason", "rejected");
        deliver("billing-dead-letters", Wires.orderPlaced().withHeader("x-death", List.of(death)));

        assertThat(transport.poisoned()).hasSize(1);
        assertThat(givenUp()).hasSize(1);
    }
}
