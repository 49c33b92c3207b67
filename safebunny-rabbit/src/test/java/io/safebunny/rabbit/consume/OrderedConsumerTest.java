// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.message.Headers;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.transport.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OrderedConsumerTest {

    private static final int PREFETCH = 4;

    private int repairs;
    private boolean connected = true;
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final ManualWorkers workers = new ManualWorkers();
    private final BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
    private final InboundBudget budget = new InboundBudget(1 << 20, log);
    private final FakeConnection broker = new FakeConnection();
    private final List<RabbitDelivery> handled = new ArrayList<>();
    /** What the next handlers do; the others acknowledge. */
    private final Deque<Consumer<RabbitDelivery>> within = new ArrayDeque<>();

    private final OrderedConsumer consumer = new OrderedConsumer(
            new ConsumedQueue("orders-Ping.in", PREFETCH, true, new QuarantinePolicy(20, QuarantinePolicy.PATIENCE))
                    .ordered(),
            budget.share("orders-Ping.in", PREFETCH),
            new ConsumerContext(this::connection, connection -> repairs++, workers, timeline, log),
            this::handle);

    private @Nullable Connection connection() {
        return connected ? broker.connection() : null;
    }

    private void handle(RabbitDelivery delivery) {
        handled.add(delivery);
        Consumer<RabbitDelivery> inside = within.poll();
        if (inside == null) {
            delivery.acknowledge();
        } else {
            inside.accept(delivery);
        }
    }

    private List<String> ids() {
        return handled.stream()
                .map(delivery -> String.valueOf(delivery.message().message().messageId()))
                .toList();
    }

    private FakeChannel started() {
        consumer.adjust();
        return broker.latest();
    }

    private void unsettled(int count) {
        for (int i = 0; i < count; i++) {
            within.add(delivery -> {});
        }
    }

    @Test
    void hasOneConsumerWithAllPlacesFromTheBeginning() {
        FakeChannel channel = started();

        assertThat(channel.calls).containsExactly("qos 4", "consume");
        assertThat(consumer.isConsuming()).isTrue();
    }

    @Test
    void handlesOneOfAKeyAtATime() {
        FakeChannel channel = started();
        unsettled(2);
        channel.deliver("a");
        channel.deliver("a");
        channel.deliver("b");
        workers.runAll();
        assertThat(ids()).containsExactly("message-1", "message-3");

        handled.get(0).acknowledge();
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-3", "message-2");
        assertThat(channel.calls).endsWith("ack 1", "ack 2");
    }

    @Test
    void whatHasNoReadableKeyWaitsForNothing() {
        FakeChannel channel = started();
        unsettled(3);
        channel.deliver("a");
        channel.deliver("");
        channel.deliver("");
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-2", "message-3");
    }

    @Test
    void aMarkWaitsForAllBeforeItAndHoldsNobody() {
        FakeChannel channel = started();
        unsettled(1);
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        channel.deliver("a");
        channel.deliver("b");
        channel.deliver("", Headers.MARK);
        channel.deliver("", Headers.MARK);
        workers.runAll();
        assertThat(ids()).containsExactly("message-1", "message-2");

        handled.get(0).acknowledge();
        channel.deliver("c");
        workers.runAll();
        assertThat(ids()).as("b is kept").containsExactly("message-1", "message-2", "message-5");

        within.add(RabbitDelivery::acknowledge);
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        timeline.advance(Duration.ofSeconds(5));
        workers.runAll();
        assertThat(ids()).endsWith("message-2", "message-3");

        timeline.advance(Duration.ofSeconds(5));
        workers.runAll();
        assertThat(ids()).endsWith("message-2", "message-3", "message-3", "message-4");
    }

    @Test
    void aMarkWaitsForTheHandlerThatALostChannelHasLeftRunning() {
        FakeChannel channel = started();
        within.add(delivery -> {
            channel.closeByBroker();
            timeline.advance(Duration.ofSeconds(1));
            workers.runAll();
            broker.latest().deliver("b");
            broker.latest().deliver("", Headers.MARK);
            workers.runAll();
            assertThat(handled).hasSize(2); // b
        });
        channel.deliver("a");
        channel.deliver("", Headers.MARK); // lost with the channel
        workers.runAll();

        assertThat(handled).hasSize(3);
        assertThat(broker.latest().calls).containsExactly("qos 4", "consume", "ack 1", "ack 2");
    }

    @Test
    void waitsForAHandlerThatHasSettledItsDelivery() {
        FakeChannel channel = started();
        within.add(delivery -> {
            delivery.acknowledge();
            channel.deliver("a");
            workers.runAll();
            assertThat(handled).hasSize(1);
        });
        channel.deliver("a");
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-2");
    }

    @Test
    void aKeptDeliveryIsHandledAgainAfterItsPauseAsAnother() {
        FakeChannel channel = started();
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        channel.deliver("a");
        channel.deliver("a");
        channel.deliver("b");
        workers.runAll();
        assertThat(ids()).containsExactly("message-1", "message-3");
        assertThat(handled.get(0).isOpen()).isFalse();

        timeline.advance(Duration.ofSeconds(4));
        workers.runAll();
        assertThat(handled).hasSize(2);
        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-3", "message-1", "message-2");
        assertThat(handled.get(2).message().redelivered()).isTrue();
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 3", "ack 1", "ack 2");
    }

    @Test
    void replaysAndUndosPassWhatIsKeptWhileItIsKept() {
        FakeChannel channel = started();
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        unsettled(1);
        channel.deliver("a");
        channel.deliver("a");
        channel.deliver("a", Headers.POISONED_AT);
        channel.deliver("a", Headers.UNDOES);
        workers.runAll();
        assertThat(ids()).containsExactly("message-1", "message-3");

        timeline.advance(Duration.ofSeconds(5));
        workers.runAll();
        assertThat(handled).as("one at a time").hasSize(2);
        handled.get(1).acknowledge();
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-3", "message-1", "message-2", "message-4");
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 3", "ack 1", "ack 2", "ack 4");
    }

    @Test
    void aReplayThatIsKeptGoesBackToItsPlace() {
        FakeChannel channel = started();
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        within.add(delivery -> delivery.keep(Duration.ofSeconds(3)));
        channel.deliver("a");
        channel.deliver("a", Headers.POISONED_AT);
        channel.deliver("a");
        channel.deliver("a", Headers.POISONED_AT);
        workers.runAll();
        assertThat(ids()).containsExactly("message-1", "message-2", "message-4");

        within.add(delivery -> delivery.keep(Duration.ofSeconds(9)));
        timeline.advance(Duration.ofSeconds(3));
        workers.runAll();
        assertThat(ids()).endsWith("message-4", "message-2");
        timeline.advance(Duration.ofSeconds(2));
        workers.runAll();
        assertThat(ids()).as("the first is not kept any more").endsWith("message-2", "message-1");

        timeline.advance(Duration.ofSeconds(7));
        workers.runAll();
        assertThat(ids()).endsWith("message-1", "message-2", "message-3");
    }

    @Test
    void whatALostChannelHadKeptDoesNotReturnBesideAReplayThatIsStillRunning() {
        FakeChannel channel = started();
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        within.add(delivery -> {
            channel.closeByBroker();
            timeline.advance(Duration.ofSeconds(1));
            workers.runAll();
            broker.latest().deliver("a");
            broker.latest().deliver("a", Headers.POISONED_AT);
            workers.runAll();
            assertThat(handled).hasSize(2);
        });
        channel.deliver("a");
        channel.deliver("a", Headers.POISONED_AT);
        workers.runAll();
        timeline.advance(Duration.ofSeconds(10));
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-2", "message-1", "message-2");
        assertThat(broker.latest().calls).containsExactly("qos 4", "consume", "ack 1", "ack 2");
    }

    @Test
    void neverReturnsADeliveryByItself() {
        FakeChannel channel = started();
        within.add(RabbitDelivery::handBack);
        channel.deliver("a");
        workers.runAll();
        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-1");
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 1");
    }

    @Test
    void pausesByClosingTheChannelWhenTheRunningHandlersHaveReturned() {
        FakeChannel channel = started();
        within.add(delivery -> {
            consumer.setPace(Pace.PAUSED);
            workers.runAll();
            channel.deliver("b"); // was on its way
            workers.runAll();
            assertThat(channel.calls).containsExactly("qos 4", "consume");
            delivery.acknowledge();
        });
        channel.deliver("a");
        channel.deliver("a");
        workers.runAll();

        assertThat(ids()).containsExactly("message-1");
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 1", "close");
        assertThat(consumer.isConsuming()).isTrue();

        consumer.setPace(Pace.FULL);
        workers.runAll();
        assertThat(broker.channels).hasSize(2);
        assertThat(broker.latest().calls).containsExactly("qos 4", "consume");
    }

    @Test
    void aPauseThatEndsBeforeTheHandlersReturnChangesNothing() {
        FakeChannel channel = started();
        within.add(delivery -> {
            consumer.setPace(Pace.PAUSED);
            workers.runAll();
            consumer.setPace(Pace.FULL);
            workers.runAll();
            delivery.acknowledge();
        });
        channel.deliver("a");
        channel.deliver("a");
        workers.runAll();

        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 1", "ack 2");
    }

    @Test
    void slowsDownWithoutAnotherConsumer() {
        FakeChannel channel = started();
        consumer.setPace(Pace.ONE_BY_ONE);
        workers.runAll();
        unsettled(1);
        channel.deliver("a");
        channel.deliver("b");
        workers.runAll();
        assertThat(ids()).containsExactly("message-1");

        handled.get(0).acknowledge();
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-2");
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 1", "ack 2");
    }

    @Test
    void stopsByClosingTheChannelWhenTheRunningHandlersHaveReturned() {
        FakeChannel channel = started();
        within.add(delivery -> {
            consumer.stop();
            workers.runAll();
            assertThat(consumer.drained()).isNotDone();
            delivery.acknowledge();
        });
        channel.deliver("a");
        channel.deliver("a");
        workers.runAll();

        assertThat(ids()).containsExactly("message-1");
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 1", "close");
        assertThat(consumer.drained()).isDone();
    }

    @Test
    void stopsAlsoWhenThereNeverWasAConnection() {
        connected = false;
        consumer.adjust();
        assertThat(consumer.isConsuming()).isFalse();

        consumer.stop();
        workers.runAll();

        assertThat(consumer.drained()).isDone();
    }

    @Test
    void aKeyWaitsForTheHandlerThatALostChannelHasLeftRunning() {
        FakeChannel channel = started();
        within.add(delivery -> {
            channel.closeByBroker();
            timeline.advance(Duration.ofSeconds(1));
            workers.runAll();
            assertThat(broker.channels).hasSize(2);
            broker.latest().deliver("a");
            broker.latest().deliver("b");
            workers.runAll();
            assertThat(handled).hasSize(2); // b
            delivery.acknowledge();
        });
        channel.deliver("a");
        channel.deliver("a"); // lost with the channel
        workers.runAll();

        assertThat(handled).hasSize(3);
        assertThat(broker.latest().calls).containsExactly("qos 4", "consume", "ack 2", "ack 1");
        assertThat(channel.calls).doesNotContain("ack 1");
    }

    @Test
    void forgetsWhatALostChannelHadKeptOrLeftUnsettled() {
        FakeChannel channel = started();
        within.add(delivery -> delivery.keep(Duration.ofSeconds(5)));
        unsettled(1);
        channel.deliver("a");
        channel.deliver("b");
        workers.runAll();
        channel.closeByBroker();
        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        broker.latest().deliver("a");
        broker.latest().deliver("b");
        timeline.advance(Duration.ofSeconds(10));
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-2", "message-1", "message-2");
        assertThat(broker.latest().calls).containsExactly("qos 4", "consume", "ack 1", "ack 2");
    }

    @Test
    void closesTheChannelWhenTheBrokerTakesTheConsumerAway() {
        FakeChannel channel = started();
        channel.cancelByBroker();
        workers.runAll();
        assertThat(channel.calls).endsWith("close");

        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(broker.channels).hasSize(2);
        assertThat(consumer.isConsuming()).isTrue();
    }

    @Test
    void triesAgainASecondLaterAndDeclaresTheQueueBefore() {
        FakeChannel first = started();
        within.add(delivery -> {
            consumer.setPace(Pace.PAUSED);
            delivery.acknowledge();
        });
        first.deliver("a");
        workers.runAll();
        broker.refusal = new IOException("no such queue");
        consumer.setPace(Pace.FULL);
        workers.runAll();
        assertThat(consumer.isConsuming()).isFalse();
        assertThat(repairs).isZero();

        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(repairs).isEqualTo(1);
        assertThat(consumer.isConsuming()).isTrue();
    }

    @Test
    void goesOnAfterWaitingForAnotherPrefetchThatIsNotWantedAnyMore() {
        InboundBudget.Share other = budget.share("orders-Other", 1);
        FakeChannel channel = started();
        within.add(delivery -> {
            other.took(1 << 20);
            consumer.adjust();
            other.gave(1 << 20);
        });
        channel.deliver("a");
        channel.deliver("b");
        workers.runAll();

        assertThat(ids()).containsExactly("message-1", "message-2");
        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 2");
    }

    @Test
    void takesOneAtATimeOnAnotherChannelWhileMessagesAreLarge() {
        FakeChannel channel = started();
        channel.body = new byte[1 << 20];
        channel.deliver("a");
        workers.runAll();

        assertThat(channel.calls).containsExactly("qos 4", "consume", "ack 1", "close");
        assertThat(broker.latest().calls).containsExactly("qos 1", "consume");
    }
}
