// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.rabbit.connection.ConnectionKeeper;
import io.safebunny.rabbit.publish.FakeBroker;
import io.safebunny.rabbit.publish.FakeBroker.FakeChannel;
import io.safebunny.rabbit.publish.PublisherPool;
import io.safebunny.rabbit.topology.DeclaredTopology;
import io.safebunny.rabbit.topology.DelayChoice;
import io.safebunny.rabbit.topology.DelayStrategy;
import io.safebunny.time.Deadline;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node sends when the delayed message exchange plugin delays its messages. */
class SendingThroughThePluginTest {

    private static final Duration DELAY = Duration.ofSeconds(7);

    private static final Topology PLANNED = TopologyPlanner.plan(
            "billing", List.of(new Subscription("OrderPlaced", List.of("orders"))), TopologyOptions.defaults());

    @Test
    void aNodeSendsThroughItAndWhatIsNotDelayedPastIt() {
        FakeBroker answering = new FakeBroker();
        VirtualTimeline timeline = VirtualTimeline.skipping();
        DeclaredTopology declared = new DeclaredTopology(new DelayChoice(DelayStrategy.PLUGIN));
        ConnectionKeeper keeper = new ConnectionKeeper(
                "publish", answering.factory(), timeline, Runnable::run, declared::declareForPublishing);
        declared.plan(PLANNED);
        keeper.start("billing");
        PublisherPool pool = new PublisherPool(keeper, declared::declareForPublishing, timeline, 1);
        RabbitSender sender = new RabbitSender(pool, keeper, declared, () -> "billing");
        Route route = new Route.ToSubscribers("orders-OrderPlaced");

        for (Duration duration : List.of(DELAY, Duration.ZERO)) {
            var unused = sender.send(
                    new OutboundMessage(FakeBroker.ORDER_PLACED, route, duration),
                    Deadline.after(Duration.ofSeconds(5), timeline));
        }

        assertThat(answering.connection().declared())
                .contains("safebunny.delayed")
                .doesNotContain("safebunny.later");
        FakeChannel channel = answering.connection().channels.stream()
                .filter(one -> !one.published.isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(channel.published)
                .extracting(FakeBroker.Published::exchange)
                .containsExactly("safebunny.delayed", "safebunny");
        assertThat(channel.published.get(0).properties().getHeaders())
                .containsEntry("x-delay", 7_000L)
                .containsEntry("sb-delay-to", "publish");
        assertThat(channel.published.get(1).properties().getHeaders()).doesNotContainKeys("x-delay", "sb-delay-to");
        keeper.close();
    }
}
