// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.rabbit.publish.Destination;
import io.safebunny.rabbit.publish.FakeBroker;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a node declares, and where its messages then go, when the delayed message exchange plugin delays its messages. No broker of the tests has the plugin, so what
 * the plugin itself does is taken from its documentation: it holds a message for {@code x-delay} milliseconds, and then routes it as an
 * exchange of {@code x-delayed-type} does.
 */
class PluginDelayTest {

    private static final Duration DELAY = Duration.ofSeconds(7);
    private static final Duration LONGEST = Duration.ofMillis((1L << 32) - 1);

    private static final Topology PLANNED = TopologyPlanner.plan(
            "billing", List.of(new Subscription("OrderPlaced", List.of("orders"))), TopologyOptions.defaults());

    private final RoutingBroker broker = new RoutingBroker();
    private final PluginDelay delay = new PluginDelay(PLANNED.options());

    @BeforeEach
    void declare() throws IOException {
        TopologyDeclarer.apply(broker, PLANNED, delay);
    }

    private Destination delayed(Route route, Duration duration) {
        return delay.delayed(new OutboundMessage(FakeBroker.ORDER_PLACED, route, duration), () -> {
            throw new AssertionError("the plugin needs no declarations of its own for a delay");
        });
    }

    private List<String> queuesOf(Route route) {
        Destination destination = delayed(route, DELAY);
        assertThat(destination.exchange()).isEqualTo(delay.entry());
        return broker.route(destination.exchange(), destination.routingKey(), destination.extraHeaders());
    }

    @Test
    void theExchangeIsThePluginsAndRoutesByHeaders() {
        assertThat(broker.typeOf("safebunny.delayed")).isEqualTo("x-delayed-message");
        assertThat(broker.argumentsOf("safebunny.delayed")).isEqualTo(Map.of("x-delayed-type", "headers"));
        assertThat(broker.knows("safebunny.later")).as("the ladder's").isFalse();
    }

    @Test
    void aPublicationReachesTheQueuesOfItsKey() {
        assertThat(queuesOf(new Route.ToSubscribers("orders-OrderPlaced"))).containsExactly("billing-OrderPlaced");
    }

    @Test
    void aPublicationThatNobodyConsumesAnyMoreIsKept() {
        assertThat(queuesOf(new Route.ToSubscribers("orders-Gone"))).containsExactly("safebunny.unrouted");
    }

    @Test
    void aRetryReachesItsOwnQueueAndNoOther() {
        assertThat(queuesOf(new Route.ToQueue("billing-OrderPlaced"))).containsExactly("billing-OrderPlaced");
    }

    /** Its key is also one by which another node could publish: only the header tells the two apart. */
    @Test
    void aRetryIsNotTakenForAPublication() throws IOException {
        Topology listener = TopologyPlanner.plan(
                "audit", List.of(new Subscription("OrderPlaced", List.of("billing"))), TopologyOptions.defaults());
        TopologyDeclarer.apply(broker, listener, delay);

        assertThat(queuesOf(new Route.ToQueue("billing-OrderPlaced"))).containsExactly("billing-OrderPlaced");
        assertThat(queuesOf(new Route.ToSubscribers("billing-OrderPlaced"))).containsExactly("audit-OrderPlaced");
    }

    @Test
    void aMessageWithoutTheHeaderLeadsNowhere() {
        assertThat(broker.route(delay.entry(), "billing-OrderPlaced", Map.of("x-delay", 5L)))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"PT0.000000001S, 1", "PT0.001S, 1", "PT0.0015S, 2", "PT7S, 7000", "PT4294967.295S, 4294967295"})
    void isNeverShorterThanAsked(Duration asked, long millis) {
        assertThat(delayed(new Route.ToSubscribers("orders-OrderPlaced"), asked).extraHeaders())
                .containsEntry("x-delay", millis);
    }

    /** It would read a longer one as another number, and perhaps deliver at once. */
    @Test
    void aDelayThatThePluginCannotHoldIsRefused() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> delayed(new Route.ToSubscribers("orders-OrderPlaced"), LONGEST.plusNanos(1)))
                .withMessageContainingAll("SB-2005", "4294967295 ms", "safebunny.delay.strategy=ladder");
    }

    /** The plugin returns mandatory messages as unroutable although it holds them. */
    @Test
    void itIsNotAskedToReturnWhatItCannotRoute() {
        assertThat(delayed(new Route.ToSubscribers("orders-OrderPlaced"), DELAY).mandatory())
                .isFalse();
    }
}
