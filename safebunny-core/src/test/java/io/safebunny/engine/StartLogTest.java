// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A start tells what the node does; what there is on the broker for that, only who asks. */
class StartLogTest {

    private static List<String> started(Level level) {
        return started(level, RetryStrategy.none());
    }

    private static List<String> started(Level level, RetryStrategy delayed) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of("billing"), new RecordingTransport(), VirtualTimeline.skipping())
                .build());
        HandlerDefinition handler = new HandlerDefinition(
                "invoicing.on(OrderPlaced)",
                "OrderPlaced",
                OrderPlaced.class,
                List.of("orders", "storefront"),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), delayed),
                (payload, context) -> {});
        try (LogLines log = new LogLines(SafeBunnyEngine.class.getName(), level)) {
            engine.start(List.of(handler));
            engine.stop(Duration.ZERO);
            return log.printed().lines().toList();
        }
    }

    @Test
    void tellsHandlersAndNumbersAtInfo() {
        assertThat(started(Level.INFO))
                .hasSizeLessThan(10)
                .anyMatch(line -> line.contains("OrderPlaced"))
                .anyMatch(line -> line.matches("Topology of node billing: \\d+ exchanges, \\d+ queues, \\d+ bindings"))
                .noneMatch(line -> line.contains("billing-poison"));
    }

    @Test
    void listsTheTopologyAtDebug() {
        assertThat(started(Level.DEBUG))
                .anyMatch(line -> line.startsWith("queue ") && line.contains("billing-poison"))
                .anyMatch(line -> line.startsWith("binding ") && line.contains("orders-OrderPlaced"));
    }

    /** {@code safebunny.delayed-retry.delays: 10} is ten milliseconds. */
    @Test
    void warnsOfDelaysWhoseUnitMayHaveBeenForgotten() {
        assertThat(started(Level.WARN, RetryStrategy.of(1, Duration.ofMillis(10))))
                .singleElement()
                .asString()
                .contains("0.01s", "invoicing.on(OrderPlaced)", "Write 10s for ten seconds");
        assertThat(started(Level.WARN, RetryStrategy.of(1, Duration.ofMillis(100))))
                .isEmpty();
    }
}
