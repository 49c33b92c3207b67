// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.Ordering;
import io.safebunny.handler.Sharding;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which queues of a handler a message is held while it is retried. */
class HeldInShardsTest {

    private static List<String> findings(HandlerDefinition handler) throws InterruptedException {
        Preflight preflight = new Preflight(null, "guest", "guest", "/", VirtualTimeline.skipping());
        return preflight
                .compare(
                        TopologyPlanner.plan("shop", List.of(handler.subscription()), TopologyOptions.defaults()),
                        List.of(handler),
                        false)
                .queues()
                .entrySet()
                .stream()
                .filter(queue -> queue.getValue().findings().toString().contains("takes a delivery back"))
                .map(queue -> queue.getKey())
                .toList();
    }

    @Test
    void retriesTakePlaceInTheShardsIfThereAreSome() throws InterruptedException {
        HandlerDefinition handler = new HandlerDefinition(
                        "Orders.on",
                        "OrderPlaced",
                        String.class,
                        List.of("desk"),
                        10,
                        RecoveryPolicy.of(RetryStrategy.of(4, Duration.ofMinutes(10)), RetryStrategy.none()),
                        (payload, context) -> {})
                .ordered(Ordering.HOLD);

        assertThat(findings(handler)).containsExactly("shop-OrderPlaced.in");
        assertThat(findings(handler.sharded(Sharding.into(2))))
                .containsExactlyInAnyOrder("shop-OrderPlaced.0", "shop-OrderPlaced.1");
    }
}
