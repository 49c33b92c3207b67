// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import static io.safebunny.test.contract.Messages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.BrowsingException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.time.Deadline;
import io.safebunny.topology.QueueType;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the contract cannot see: inspection, order, and one thread driving all of it. */
class MemoryBrokerTest {

    private static final String QUEUE = "billing-OrderPlaced";
    private static final TopologyOptions OPTIONS = TopologyOptions.defaults();

    private final VirtualTimeline timeline = new VirtualTimeline();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final MemoryBroker broker = new MemoryBroker(timeline, tasks::addLast);
    private final MemoryTransport billing = new MemoryTransport(broker, OPTIONS);
    private final MemoryTransport secondInstance = new MemoryTransport(broker, OPTIONS);
    private final List<Delivery> deliveries = new ArrayList<>();

    @BeforeEach
    void start() {
        start(billing, OPTIONS);
    }

    @Test
    void showsWhatIsReadyWithoutRemovingIt() {
        send("a", "b");

        assertThat(broker.depth(QUEUE)).isEqualTo(2);
        assertThat(broker.messages(QUEUE)).extracting(WireMessage::messageId).containsExactly("a", "b");
        assertThat(broker.depth(QUEUE)).isEqualTo(2);
        assertThat(broker.depth("billing-poison")).isZero();
        assertThatThrownBy(() -> broker.depth("biling-OrderPlaced")).hasMessageContaining(QUEUE);
    }

    @Test
    void notesWhereARejectedMessageComesFrom() {
        send("a");
        billing.consume(QUEUE, 1, Delivery::reject);
        runTasks();

        assertThat(broker.messages(QUEUE)).isEmpty();
        assertThat(broker.messages("billing-dead-letters"))
                .singleElement()
                .satisfies(dead -> assertThat(dead.messageId()).isEqualTo("a"))
                .satisfies(dead -> assertThat(dead.headers().get("x-death"))
                        .asString()
                        .contains("queue=" + QUEUE, "reason=rejected"));
    }

    @Test
    void isIdleWhenNothingCanHappenAnyMore() {
        send("a");
        assertThat(broker.isIdle()).as("nobody consumes").isTrue();

        billing.consume(QUEUE, 1, deliveries::add);
        assertThat(broker.isIdle()).as("delivered").isFalse();
        runTasks();
        assertThat(broker.isIdle()).as("unsettled").isFalse();
        deliveries.get(0).acknowledge();
        assertThat(broker.isIdle()).as("settled").isTrue();

        send(Duration.ofMillis(5), "later");
        assertThat(broker.isIdle()).as("delayed").isFalse();
        billing.close();
        timeline.advance(Duration.ofMillis(5));
        assertThat(broker.isIdle()).as("ready, consumer gone").isTrue();
        assertThat(broker.depth(QUEUE)).isEqualTo(1);
    }

    @Test
    void putsUnsettledMessagesBackInTheirOriginalOrder() {
        send("a", "b", "c", "d");
        billing.consume(QUEUE, 3, deliveries::add);
        runTasks();
        deliveries.get(1).handBack();
        assertThat(broker.messages(QUEUE)).extracting(WireMessage::messageId).containsExactly("d"); // b was first again

        billing.close();

        assertThat(broker.messages(QUEUE)).extracting(WireMessage::messageId).containsExactly("a", "b", "c", "d");
    }

    @Test
    void putsBackWhatWasLookedAtByATransportThatIsClosed() {
        send("a", "b");
        BrowsedQueue browsed = billing.browse(QUEUE);
        Delivery first = Objects.requireNonNull(browsed.next());

        billing.close();
        assertThatThrownBy(first::acknowledge).isInstanceOf(BrowsingException.class);

        assertThat(broker.messages(QUEUE)).extracting(WireMessage::messageId).containsExactly("a", "b");
        assertThat(first.isOpen()).isFalse();
        assertThatThrownBy(browsed::next).isInstanceOf(BrowsingException.class);
    }

    @Test
    void handsOutRoundRobin() {
        start(secondInstance, OPTIONS);
        List<Delivery> others = new ArrayList<>();
        billing.consume(QUEUE, 10, deliveries::add);
        secondInstance.consume(QUEUE, 10, others::add);

        send("a", "b", "c", "d");
        runTasks();

        assertThat(ids(deliveries)).containsExactly("a", "c");
        assertThat(ids(others)).containsExactly("b", "d");
    }

    @Test
    void handsBackWhatIsDeliveredButNotBegunWhenStopped() {
        Consumption consumption = billing.consume(QUEUE, 2, deliveries::add);
        send("begun", "not-begun");
        tasks.removeFirst().run();

        CompletableFuture<Void> stopped = consumption.stop();
        runTasks();

        assertThat(ids(deliveries)).containsExactly("begun");
        assertThat(stopped).as("begun was given up: returned without settling").isCompleted();
        assertThat(broker.depth(QUEUE)).isEqualTo(2);
    }

    @Test
    void keepsTheOrderOfMessagesDueAtTheSameTime() {
        send(Duration.ofMillis(20), "a");
        send(Duration.ofMillis(10), "first");
        timeline.advance(Duration.ofMillis(5));
        send(Duration.ofMillis(15), "b");
        send(Duration.ofMillis(15), "c");

        timeline.advance(Duration.ofMillis(14));
        assertThat(broker.messages(QUEUE)).extracting(WireMessage::messageId).containsExactly("first");
        timeline.advance(Duration.ofMillis(1));

        assertThat(broker.messages(QUEUE)).extracting(WireMessage::messageId).containsExactly("first", "a", "b", "c");
    }

    @Test
    void routesADelayedPublicationWhenItIsDue() {
        send(Duration.ofMillis(10), "later");
        MemoryTransport shipping = new MemoryTransport(broker, OPTIONS);
        shipping.start(
                TopologyPlanner.plan("shipping", List.of(new Subscription("OrderPlaced", List.of("orders"))), OPTIONS));

        timeline.advance(Duration.ofMillis(10));

        assertThat(broker.depth("shipping-OrderPlaced")).isEqualTo(1);
    }

    @Test
    void saysWhatClashesAndChangesNothing() {
        TopologyOptions other = TopologyOptions.defaults().withPrefix("other").withQueueType(QueueType.CLASSIC);

        assertThatThrownBy(() -> start(secondInstance, other))
                .isInstanceOfSatisfying(
                        ConfigurationException.class, e -> assertThat(e.code()).isEqualTo("SB-1201"))
                .hasMessageContainingAll(QUEUE, "x-queue-type=quorum", "other.poison", "safebunny.topology");
        assertThat(new MemoryTransport(broker, other).send(outbound("a", Duration.ZERO), soon()))
                .isCompletedExceptionally();
    }

    @Test
    void keepsMessagesWhenTheExecutorRefusesThem() {
        MemoryBroker refusing = new MemoryBroker(timeline, task -> {
            throw new RejectedExecutionException("shut down");
        });
        MemoryTransport transport = new MemoryTransport(refusing, OPTIONS);
        start(transport, OPTIONS);
        Consumption consumption = transport.consume(QUEUE, 1, deliveries::add);

        assertThat(transport.send(outbound("a", Duration.ZERO), soon())).isCompleted();

        assertThat(refusing.depth(QUEUE)).isEqualTo(1);
        assertThat(consumption.stop()).isCompleted();
    }

    private static void start(MemoryTransport transport, TopologyOptions options) {
        transport.start(
                TopologyPlanner.plan("billing", List.of(new Subscription("OrderPlaced", List.of("orders"))), options));
    }

    private Deadline soon() {
        return Deadline.after(Duration.ofMinutes(10), timeline);
    }

    private void send(String... ids) {
        send(Duration.ZERO, ids);
    }

    private void send(Duration delay, String... ids) {
        for (String id : ids) {
            assertThat(billing.send(outbound(id, delay), soon())).isCompleted();
        }
    }

    private static OutboundMessage outbound(String id, Duration delay) {
        return new OutboundMessage(message(id), new Route.ToSubscribers("orders-OrderPlaced"), delay);
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.removeFirst().run();
        }
    }

    private static List<String> ids(List<Delivery> deliveries) {
        return deliveries.stream()
                .map(delivery -> String.valueOf(delivery.message().message().messageId()))
                .toList();
    }
}
