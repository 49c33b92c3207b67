// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Orders that are delivered together, and what becomes of them. */
abstract class DeliveredTogether {

    final RecordingTransport transport = new RecordingTransport();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final List<RecordedDelivery> deliveries = new ArrayList<>();

    static Wires order(String id) {
        return Wires.orderPlaced().with("message_id", id);
    }

    final RecordedDelivery delivery(Wires message) {
        RecordedDelivery delivery = new RecordedDelivery(Node.QUEUE, message.wire());
        deliveries.add(delivery);
        return delivery;
    }

    final void deliver(String... ids) {
        transport.deliverTogether(
                Arrays.stream(ids).map(id -> delivery(order(id))).toList());
    }

    static String causeOf(OutboundMessage message) {
        return new String(message.message().body(), StandardCharsets.UTF_8).replaceAll(".*\"(.)\".*", "$1");
    }

    /** Of which orders publications were confirmed, in this order. */
    final List<String> sent() {
        return transport.published().stream().map(DeliveredTogether::causeOf).toList();
    }

    final void assertAcknowledged() {
        assertThat(deliveries).allSatisfy(delivery -> {
            assertThat(delivery.acknowledged()).isEqualTo(1);
            assertThat(delivery.settled()).isEqualTo(1);
        });
    }

    final double observed(String outcome) {
        return meters.find("safebunny.handler").tag("outcome", outcome).timers().stream()
                .mapToDouble(timer -> timer.count())
                .sum();
    }
}
