// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.node.TopologyPlanner;
import io.safebunny.topology.Subscription;
import io.safebunny.topology.Topology;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.IncomingMessage;
import io.safebunny.transport.IncomingMessage.Origin;
import io.safebunny.transport.Route;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final TopologyOptions OPTIONS = TopologyOptions.defaults();
    private static final String BILLING = "billing-Order";
    private static final String DEAD = Topology.deadLettersOf("billing");

    /** What the broker says whether a queue is at rest, one answer after the other. */
    private final Deque<Boolean> answers = new ArrayDeque<>();

    private final Arrivals arrivals = new Arrivals((queue, copies) -> answers.remove());

    @BeforeEach
    void start() {
        for (String node : List.of("billing", "shipping")) {
            arrivals.apply(TopologyPlanner.plan(node, List.of(new Subscription("Order", List.of("shop"))), OPTIONS));
        }
        arrivals.consumes(BILLING, 2);
        arrivals.consumes(DEAD, 1);
    }

    private static final class Delivered implements Delivery {

        private final IncomingMessage message;
        private boolean isOpen = true;

        Delivered(String queue, String id, boolean redelivered) {
            WireMessage wire = new WireMessage(id, "saga", "Order", "shop", null, null, null, Map.of(), new byte[0]);
            message = new IncomingMessage(new Origin(queue, "", ""), redelivered, 0, wire);
        }

        @Override
        public IncomingMessage message() {
            return message;
        }

        @Override
        public boolean isOpen() {
            return isOpen;
        }

        @Override
        public void acknowledge() {
            isOpen = false;
        }

        @Override
        public void handBack() {
            isOpen = false;
        }

        @Override
        public void reject() {
            isOpen = false;
        }
    }

    private List<String> publish(String id) {
        List<String> queues = arrivals.queuesOf(new Route.ToSubscribers("shop-Order"), OPTIONS);
        arrivals.expect(queues, id);
        return queues;
    }

    private CountedDelivery deliver(String id) {
        return arrivals.take(new Delivered(BILLING, id, false));
    }

    @Test
    void aPublicationComesOncePerQueueThatIsConsumed() {
        arrivals.consumes("shipping-Order", 1);
        assertThat(publish("1")).containsExactly(BILLING, "shipping-Order");

        deliver("1").acknowledge();
        assertThat(arrivals.isAwaited()).isTrue();
        arrivals.take(new Delivered("shipping-Order", "1", false)).acknowledge();

        assertThat(arrivals.isAwaited()).isFalse();
    }

    @Test
    void whatIsInAQueueThatNobodyConsumesIsNotAwaited() {
        assertThat(arrivals.queuesOf(new Route.Poison("billing"), OPTIONS)).containsExactly("billing-poison");
        arrivals.expect(List.of("billing-poison", "shipping-Order"), "1");

        assertThat(arrivals.isAwaited()).isFalse();
        assertThat(arrivals.filled()).containsExactly("billing-poison", "shipping-Order");
    }

    @Test
    void whatWasNotSentIsNotAwaited() {
        arrivals.expectNoLonger(publish("1"), "1");

        assertThat(arrivals.isAwaited()).isFalse();
    }

    @Test
    void noMoreAreAwaitedThanMayBeHandledAtOnce() {
        List.of("1", "2", "3").forEach(this::publish);
        CountedDelivery first = deliver("1");
        assertThat(arrivals.isAwaited()).isTrue();
        deliver("2");
        assertThat(arrivals.isAwaited()).isFalse();

        first.acknowledge();

        assertThat(arrivals.isAwaited()).isTrue();
        assertThat(arrivals.giveUp()).isEqualTo("1 message(s) of queue billing-Order, 3");
        assertThat(arrivals.isAwaited()).isFalse();
    }

    @Test
    void whatIsHandedBackComesAgain() {
        publish("1");
        deliver("1").handBack();

        assertThat(arrivals.isAwaited()).isTrue();
    }

    @Test
    void whatIsRejectedIsADeadLetter() {
        publish("1");
        deliver("1").reject();
        assertThat(arrivals.isAwaited()).isTrue();

        arrivals.take(new Delivered(DEAD, "1", false)).acknowledge();

        assertThat(arrivals.isAwaited()).isFalse();
    }

    @Test
    void whatIsSettledTooLateComesAgain() {
        publish("1");
        Delivered delivery = new Delivered(BILLING, "1", false);
        CountedDelivery counted = arrivals.take(delivery);
        delivery.isOpen = false; // the connection is lost

        counted.acknowledge();

        assertThat(arrivals.isAwaited()).isTrue();
    }

    @Test
    void whatCameAgainBeforeItWasSettledTooLateDoesNotComeAThirdTime() {
        publish("1");
        Delivered delivery = new Delivered(BILLING, "1", false);
        CountedDelivery first = arrivals.take(delivery);
        delivery.isOpen = false;
        CountedDelivery second = arrivals.take(new Delivered(BILLING, "1", true));

        first.acknowledge();
        second.acknowledge();

        assertThat(arrivals.isAwaited()).isFalse();
        assertThat(arrivals.unsettled()).isEmpty();
    }

    @Test
    void whatNobodySentTakesTheTurnOfNoOther() {
        publish("1");
        deliver("a stranger's").acknowledge();

        assertThat(arrivals.isAwaited()).isTrue();
    }

    @Test
    void aQueueIsAtRestWhenTheBrokerHasSaidSoTwice() {
        publish("1");
        answers.addAll(List.of(false, true, false, true, true));
        arrivals.consumes(BILLING, 0);

        for (int look = 1; look <= 4; look++) {
            assertThat(arrivals.isAwaited()).isTrue();
        }
        assertThat(arrivals.isAwaited()).isFalse();
        assertThat(arrivals.isAwaited()).isFalse(); // the broker is not asked again
        assertThat(answers).isEmpty();
    }

    @Test
    void theEndOfAConsumptionIsAwaitedUnlessSomethingIsBeingHandled() {
        publish("1");
        CountedDelivery delivery = deliver("1");
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        arrivals.stops(BILLING, stopped);
        assertThat(arrivals.isAwaited()).isFalse();

        delivery.acknowledge();
        assertThat(arrivals.isAwaited()).isTrue();
        stopped.complete(null);

        assertThat(arrivals.isAwaited()).isFalse();
    }
}
