// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import io.safebunny.rabbit.work.ConsumeFailures;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import io.safebunny.transport.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class ConsumerControlTest implements Dispatcher.Work {

    private static final int PREFETCH = 3;

    private int repairs;
    private boolean connected = true;
    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final ManualWorkers workers = new ManualWorkers();
    private final BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
    private final InboundBudget budget = new InboundBudget(1 << 20, log);
    private final FakeConnection broker = new FakeConnection();
    private final ConsumedQueue queue =
            new ConsumedQueue("orders-Ping", PREFETCH, true, new QuarantinePolicy(20, QuarantinePolicy.PATIENCE));
    private final ConsumerContext context =
            new ConsumerContext(this::connection, connection -> repairs++, workers, timeline, log);
    private final ConsumerControl control = new ConsumerControl(
            queue, budget.share("orders-Ping", PREFETCH), context, told -> new Dispatcher(queue, context, this));
    private final Deque<Runnable> within = new ArrayDeque<>();

    private @Nullable Connection connection() {
        return connected ? broker.connection() : null;
    }

    @Override
    public void handle(RabbitDelivery delivery) {
        Runnable inside = within.poll();
        if (inside != null) {
            inside.run();
        }
        delivery.acknowledge();
    }

    @Override
    public void finished(RabbitDelivery delivery) {
        control.finished(delivery);
    }

    @Override
    public void released(RabbitDelivery delivery) {
        control.released(delivery);
    }

    private void startAtFullPace() {
        control.adjust();
        broker.latest().deliver(0);
        workers.runAll();
        broker.latest().calls.clear();
    }

    @Test
    void beginsWithOneMessageAndGoesOnWithAsManyAsAreHandledAtOnce() {
        control.adjust();
        assertThat(broker.latest().calls).containsExactly("qos 1", "consume");

        broker.latest().deliver(0);
        workers.runAll();

        assertThat(broker.latest().calls).containsExactly("qos 1", "consume", "ack 1", "cancel", "qos 3", "consume");
        assertThat(broker.channels).hasSize(1);
    }

    @Test
    void aPausedQueueHasNoConsumerAndCountsAsConsumed() {
        startAtFullPace();

        control.setPace(Pace.PAUSED);
        workers.runAll();

        assertThat(broker.latest().calls).containsExactly("cancel");
        assertThat(control.isConsuming()).isTrue();
        control.setPace(Pace.ONE_BY_ONE);
        workers.runAll();
        assertThat(broker.latest().calls).endsWith("qos 1", "consume");
    }

    @Test
    void waitsForAConnectionAndIsToldOfIt() {
        connected = false;
        control.adjust();
        assertThat(control.isConsuming()).isFalse();

        connected = true;
        control.adjustSoon();
        workers.runAll();

        assertThat(control.isConsuming()).isTrue();
    }

    @Test
    void triesAgainASecondLaterAndDeclaresTheQueueBefore() {
        startAtFullPace();
        FakeChannel first = broker.latest();
        control.setPace(Pace.PAUSED);
        workers.runAll();
        first.refusal = new IOException("no such queue");
        try (CapturedLogs logs = CapturedLogs.start().at(ConsumeFailures.class.getName(), Level.WARN)) {
            control.setPace(Pace.FULL);
            workers.runAll();
            assertThat(logs.all())
                    .extracting(LogLine::message)
                    .containsExactly("Cannot consume queue 'orders-Ping': IOException: no such queue. Retrying in 1 s");
        }
        assertThat(control.isConsuming()).isFalse();
        assertThat(repairs).isZero();

        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(repairs).isEqualTo(1);
        assertThat(first.isOpen()).isFalse();
        assertThat(broker.latest()).isNotSameAs(first);
        assertThat(control.isConsuming()).isTrue();
    }

    @Test
    void consumesCarefullyOnTheChannelAfterALostOne() {
        startAtFullPace();
        try (CapturedLogs logs = CapturedLogs.start().at(ConsumerControl.class.getName(), Level.WARN)) {
            broker.latest().closeByBroker();
            assertThat(logs.all())
                    .extracting(LogLine::message)
                    .singleElement()
                    .asString()
                    .endsWith("of the test. Consuming it again");
        }
        assertThat(control.isConsuming()).isFalse();

        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(broker.channels).hasSize(2);
        assertThat(broker.latest().calls).containsExactly("qos 1", "consume");
    }

    @Test
    void closesTheChannelOffTheConnectionsThreadWhenTheBrokerTakesTheConsumerAway() {
        startAtFullPace();

        broker.latest().cancelByBroker();
        assertThat(broker.latest().calls).isEmpty();
        workers.runAll();

        assertThat(broker.latest().calls).containsExactly("close");
    }

    @Test
    void takesNothingMoreWhileASuspectWaitsAndIsHandled() {
        startAtFullPace();
        FakeChannel channel = broker.latest();
        within.add(() -> {
            channel.deliver(3);
            workers.runAll();
            assertThat(channel.calls).as("it waits").containsExactly("cancel");
        });
        within.add(() -> assertThat(channel.calls).as("it is handled").containsExactly("cancel", "ack 2"));

        channel.deliver(0);
        workers.runAll();

        assertThat(channel.calls).containsExactly("cancel", "ack 2", "ack 3", "qos 1", "consume");
    }

    @Test
    void anotherConsumerTakesThePlaceOfAnReleasedMessage() {
        control.adjust();
        FakeChannel channel = broker.latest();
        within.add(() -> {
            channel.calls.clear();
            timeline.advance(QuarantinePolicy.PATIENCE);
            workers.runAll();
            assertThat(channel.calls).containsExactly("cancel", "qos 1", "consume");
        });

        channel.deliver(3);
        workers.runAll();

        assertThat(control.isConsuming()).isTrue();
    }

    @Test
    void stopsWhenWhatWasDeliveredIsHandledAndClosesOnlyThen() {
        startAtFullPace();
        FakeChannel channel = broker.latest();
        within.add(() -> {
            control.stop();
            workers.runAll();
            assertThat(channel.calls).containsExactly("cancel");
            assertThat(control.drained()).isNotDone();
        });

        channel.deliver(0);
        workers.runAll();

        assertThat(channel.calls).containsExactly("cancel", "ack 2", "close");
        assertThat(control.drained()).isDone();
    }

    @Test
    void stopsOnlyWhenTheBrokerHasConfirmedThatItDeliversNothingMore() {
        startAtFullPace();
        FakeChannel channel = broker.latest();
        channel.answersCancel = false;
        control.stop();
        workers.runAll();
        channel.deliver(0);
        workers.runAll();
        assertThat(control.drained()).isNotDone();

        channel.confirmCancel();
        workers.runAll();

        assertThat(channel.calls).containsExactly("cancel", "ack 2", "close");
        assertThat(control.drained()).isDone();
    }

    @Test
    void stopsAlsoWhenThereNeverWasAConnection() {
        connected = false;
        control.adjust();

        control.stop();
        workers.runAll();

        assertThat(control.drained()).isDone();
    }

    @Test
    void consumesOneAtATimeWhileMessagesAreLarge() {
        control.adjust();
        broker.latest().body = new byte[1 << 20];

        broker.latest().deliver(0);
        workers.runAll();

        assertThat(broker.latest().calls).containsExactly("qos 1", "consume", "ack 1");
    }
}
