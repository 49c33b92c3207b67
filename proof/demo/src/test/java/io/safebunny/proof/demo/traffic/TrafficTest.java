// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.demo.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficTest {

    private final Traffic traffic = new Traffic();

    private void send(Route route) {
        WireMessage capture =
                new WireMessage("1", "order-1", "Capture", "orders", null, null, null, Map.of(), new byte[0]);
        try (EmbeddedBroker embedded = new EmbeddedBroker();
                SystemTimeline timeline = new SystemTimeline("traffic-test");
                WatchedTransport watched = new WatchedTransport(
                        new MemoryTransport(embedded.broker(), TopologyOptions.defaults()), traffic)) {
            var unused = watched.send(
                    new OutboundMessage(capture, route, Duration.ofHours(1)),
                    Deadline.after(Duration.ofSeconds(1), timeline));
        }
    }

    @Test
    void isNotQuietWhileAMessageWaitsForItsNextAttempt() {
        assertThat(traffic.quietFor(Duration.ZERO)).isTrue();

        send(new Route.ToQueue("billing-Capture"));

        assertThat(traffic.quietFor(Duration.ZERO)).isFalse();
    }

    /** Nobody waits an hour for a timeout that a saga has set. */
    @Test
    void isQuietWhileATimeoutWaits() {
        send(new Route.ToSubscribers("orders-PaymentOverdue"));

        assertThat(traffic.quietFor(Duration.ZERO)).isTrue();
    }
}
