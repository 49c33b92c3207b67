// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.Turns;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** Handlers "at the same time" are nested here: a worker that runs within a handler is another one beside it. */
class DispatcherTest implements ConsumerSession.Events, Dispatcher.Work {

    private static final int PREFETCH = 3;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final ManualWorkers workers = new ManualWorkers();
    private final BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
    private final Dispatcher dispatcher = new Dispatcher(
            new ConsumedQueue("orders-Ping", PREFETCH, true, new QuarantinePolicy(20, QuarantinePolicy.PATIENCE)),
            new ConsumerContext(() -> null, connection -> {}, workers, timeline, log),
            this);
    private final FakeChannel channel = new FakeChannel(new FakeConnection());

    /** {@code +1} is begun, {@code -1} is finished, {@code ~1} goes on beside others. */
    private final List<String> events = new ArrayList<>();

    /** Which of those that are handled together are still to be handled. */
    private final List<String> leaving = new ArrayList<>();

    /** How many are handled together. */
    private int together = 1;

    /** What happens within the next handlers. */
    private final Deque<Runnable> within = new ArrayDeque<>();

    @BeforeEach
    void consume() throws IOException {
        new ConsumerSession("orders-Ping", channel.channel(), true, this).consume(1);
    }

    @Override
    public void delivered(RabbitDelivery delivery, int prefetch) {
        dispatcher.add(delivery, prefetch);
    }

    @Override
    public void consumerEnded() {}

    @Override
    public void lost(ConsumerSession session, @Nullable String why) {}

    private static String nameOf(RabbitDelivery delivery) {
        return String.valueOf(delivery.message().message().messageId()).substring("message-".length());
    }

    @Override
    public void handle(RabbitDelivery delivery) {
        events.add('+' + nameOf(delivery));
        Runnable inside = within.poll();
        if (inside != null) {
            inside.run();
        }
    }

    @Override
    public int mostTogether() {
        return together;
    }

    @Override
    public List<RabbitDelivery> handleTogether(List<RabbitDelivery> deliveries) {
        events.add(deliveries.stream().map(DispatcherTest::nameOf).collect(Collectors.joining("+", "+", "")));
        Runnable inside = within.poll();
        if (inside != null) {
            inside.run();
        }
        return deliveries.stream()
                .filter(delivery -> leaving.contains(nameOf(delivery)))
                .toList();
    }

    @Override
    public void finished(RabbitDelivery delivery) {
        events.add('-' + nameOf(delivery));
    }

    @Override
    public void released(RabbitDelivery delivery) {
        events.add('~' + nameOf(delivery));
    }

    private void deliver(int... failures) {
        for (int count : failures) {
            channel.deliver(count);
        }
    }

    @Test
    void handlesInTheOrderOfDelivery() {
        deliver(0, 0, 0);
        workers.runOne();

        assertThat(events).containsExactly("+1", "-1", "+2", "-2", "+3", "-3");
        assertThat(dispatcher.isIdle()).isTrue();
    }

    @Test
    void handlesWhatWaitsTogetherUpToTheMost() {
        together = 2;
        deliver(0, 0, 0);
        workers.runOne();

        assertThat(events).containsExactly("+1+2", "-1", "-2", "+3", "-3");
        assertThat(dispatcher.isIdle()).isTrue();
    }

    @Test
    void eachOfThoseThatAreHandledTogetherTakesAPlace() {
        together = PREFETCH;
        deliver(0, 0, 0, 0);
        within.add(() -> assertThat(workers.asked()).isZero());
        workers.runAll();

        assertThat(events).containsExactly("+1+2+3", "-1", "-2", "-3", "+4", "-4");
    }

    /** One of them may take long. */
    @Test
    void whatLeavesIsHandledNextByAWorkerEach() {
        together = PREFETCH;
        leaving.addAll(List.of("1", "3"));
        deliver(0, 0, 0, 0);
        within.add(() -> {});
        within.add(workers::runOne);
        workers.runAll();

        assertThat(events).containsExactly("+1+2+3", "-2", "+1", "+3", "-3", "+4", "-4", "-1");
        assertThat(dispatcher.isIdle()).isTrue();
    }

    /** Otherwise a worker would always be free, and nothing would wait. */
    @Test
    void whatComesMeanwhileIsHandledTogetherAfterwards() {
        together = PREFETCH;
        deliver(0);
        within.add(() -> {
            deliver(0, 0);
            assertThat(workers.asked()).isZero();
        });
        workers.runAll();

        assertThat(events).containsExactly("+1", "-1", "+2+3", "-2", "-3");
    }

    @Test
    void whatWasDeliveredBeforeIsHandledOnItsOwn() {
        together = PREFETCH;
        deliver(0, 1, 0);
        workers.runAll();

        assertThat(events).containsExactly("+1", "-1", "+2", "-2", "+3", "-3");
    }

    @Test
    void asksForOneWorkerAtATimeWhichAsksForTheNextBeforeItHandles() {
        deliver(0, 0, 0);
        assertThat(workers.asked()).isEqualTo(1);
        within.add(() -> assertThat(workers.asked()).isEqualTo(1));

        workers.runOne();

        assertThat(events).startsWith("+1");
    }

    @Test
    void handlesUpToThePrefetchAtOnce() {
        deliver(0, 0, 0, 0);
        within.add(workers::runOne);
        within.add(workers::runOne);
        within.add(() -> assertThat(workers.asked()).isZero());

        workers.runAll();

        assertThat(events).startsWith("+1", "+2", "+3", "-3", "+4");
    }

    @Test
    void givesTheThreadBackWhenItsTurnIsOver() {
        deliver(0, 0);
        within.add(() -> timeline.advance(Turns.TURN));

        workers.runOne();

        assertThat(events).containsExactly("+1", "-1");
        assertThat(workers.asked()).as("another worker, later in line").isEqualTo(1);
    }

    @Test
    void givesTheThreadBackAfterEachDeliveryWhileStopping() {
        deliver(0, 0);
        dispatcher.stop();

        workers.runOne();

        assertThat(events).containsExactly("+1", "-1");
        workers.runAll();
        assertThat(events).contains("+2");
    }

    @Test
    void withoutAThreadItAsksAgainAfterASecond() {
        workers.full = true;
        try (CapturedLogs logs = CapturedLogs.start().at(Turns.class.getName(), Level.WARN)) {
            deliver(0, 0);

            assertThat(logs.all())
                    .extracting(LogLine::message)
                    .containsExactly("No worker thread for a delivery of queue 'orders-Ping'; retrying in 1000 ms");
        }
        workers.full = false;
        timeline.advance(Duration.ofSeconds(1));
        workers.runAll();

        assertThat(events).containsExactly("+1", "-1", "+2", "-2");
    }

    @Test
    void aFailingHandlerFreesItsPlace() {
        deliver(0, 0);
        within.add(() -> {
            throw new IllegalStateException("of the test");
        });

        assertThat(runFailing()).hasMessage("of the test");

        assertThat(events).containsExactly("+1", "-1");
        workers.runAll();
        assertThat(events).contains("+2", "-2");
        assertThat(dispatcher.isIdle()).isTrue();
    }

    private @Nullable Throwable runFailing() {
        try {
            workers.runOne();
            return null;
        } catch (IllegalStateException e) {
            return e;
        }
    }

    @Test
    void aMessageThatCameBackThreeTimesIsHandledAlone() {
        deliver(0, 3, 0);
        within.add(
                () -> assertThat(workers.asked()).as("it waits for the first").isZero());
        within.add(() -> assertThat(workers.asked()).as("the last waits for it").isZero());

        workers.runAll();

        assertThat(events).containsExactly("+1", "-1", "+2", "-2", "+3", "-3");
    }

    @Test
    void aSuspectBeginsBesideAHandlerThatDoesNotReturn() {
        deliver(0, 3);
        within.add(() -> {
            timeline.advance(Duration.ofMinutes(1));
            workers.runOne();
        });

        workers.runAll();

        assertThat(events).containsExactly("+1", "+2", "-2", "-1");
    }

    @Test
    void othersBeginBesideASuspectThatDoesNotReturn() {
        deliver(3, 0);
        within.add(() -> {
            timeline.advance(Duration.ofMinutes(1));
            workers.runOne();
        });

        workers.runAll();

        assertThat(events).containsExactly("+1", "~1", "+2", "-2", "-1");
    }

    @Test
    void wantsOneAtATimeUntilAGoodOneCame() {
        assertThat(dispatcher.wantedPrefetch(0)).isEqualTo(1);
        deliver(0);
        assertThat(dispatcher.wantedPrefetch(1)).isEqualTo(PREFETCH);

        dispatcher.beCautious();

        assertThat(dispatcher.wantedPrefetch(0)).isEqualTo(1);
    }

    @Test
    void wantsNothingBesideASuspect() {
        deliver(0, 3);

        assertThat(dispatcher.wantedPrefetch(PREFETCH)).isZero();
        assertThat(dispatcher.wantedPrefetch(1)).as("its place is taken").isEqualTo(1);
        workers.runAll();
        assertThat(dispatcher.wantedPrefetch(0)).as("carefully").isEqualTo(1);
    }

    @Test
    void wantsNothingMoreWhileEarlierConsumersBroughtEnough() {
        deliver(0, 0, 0);
        assertThat(dispatcher.wantedPrefetch(0)).isZero();

        workers.runAll();

        assertThat(dispatcher.wantedPrefetch(0)).isEqualTo(PREFETCH);
    }
}
