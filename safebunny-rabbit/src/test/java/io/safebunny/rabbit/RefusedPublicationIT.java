// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.NackedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the broker does not take, among what it takes, on shared channels. */
@Timeout(60)
class RefusedPublicationIT {

    private final RabbitBench rabbit = new RabbitBench();
    private final String node = "refused." + UUID.randomUUID().toString().substring(0, 8);
    private final String full = node + "-full";
    private final String open = node + "-open";

    @AfterEach
    void deleteQueues() {
        rabbit.onBroker(channel -> {
            channel.queueDelete(full);
            channel.queueDelete(open);
        });
        rabbit.close();
    }

    @Test
    void failsExactlyTheRefusedOnesOfManyInFlight() {
        rabbit.onBroker(channel -> {
            channel.queueDeclare(full, true, false, false, Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
            channel.queueDeclare(open, true, false, false, Map.of());
        });
        try (RabbitTransport transport = rabbit.transport(node)) {
            transport.start(TopologyPlanner.plan(node, List.of(), TopologyOptions.defaults()));
            rabbit.onBroker(channel -> {
                channel.queueBind(full, TopologyOptions.defaults().ownExchange(), full);
                channel.queueBind(open, TopologyOptions.defaults().ownExchange(), open);
            });
            List<CompletableFuture<Void>> taken = new ArrayList<>();
            List<CompletableFuture<Void>> refused = new ArrayList<>();
            List<CompletableFuture<Void>> unroutable = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                taken.add(transport.send(message(i, new Route.ToQueue(open)), rabbit.deadline()));
                refused.add(transport.send(message(i, new Route.ToQueue(full)), rabbit.deadline()));
                unroutable.add(
                        transport.send(message(i, new Route.ToSubscribers(node + "-Nothing")), rabbit.deadline()));
            }

            assertThat(taken).allSatisfy(future -> assertThat(future).succeedsWithin(Duration.ofSeconds(20)));
            assertThat(refused).allSatisfy(future -> assertFailed(future, NackedException.class));
            assertThat(unroutable).allSatisfy(future -> assertFailed(future, UnroutableException.class));
        }
        rabbit.onBroker(channel -> assertThat(channel.messageCount(open)).isEqualTo(300));
    }

    private static void assertFailed(CompletableFuture<Void> future, Class<? extends Throwable> type) {
        assertThat(future)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(type);
    }

    private OutboundMessage message(int index, Route route) {
        return RabbitBench.message(node, "id-" + index, route, Duration.ZERO);
    }
}
