// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.WatchedTimeline;
import io.safebunny.fixture.Wires;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A moment without a thread must not use up the whole time of a publication. */
class NoThreadToSendAgainTest {

    private static OutboundMessage message() {
        return new OutboundMessage(
                Wires.orderPlaced().wire(), new Route.ToSubscribers("orders-OrderPlaced"), Duration.ZERO);
    }

    /** What a task throws keeps a scheduler from nothing. */
    private static void pass(VirtualTimeline timeline, Duration duration) {
        long end = timeline.nanoTime() + duration.toNanos();
        while (timeline.nanoTime() < end) {
            Throwable unused = catchThrowable(() -> timeline.advance(Duration.ofNanos(end - timeline.nanoTime())));
        }
    }

    @Test
    void isTriedAgain() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        RecordingTransport transport = new RecordingTransport();
        AtomicInteger refusals = new AtomicInteger(1);
        ConfirmedSender sender = new ConfirmedSender(
                transport,
                timeline,
                task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("no thread (simulated)");
                    }
                    task.run();
                },
                Duration.ofSeconds(30),
                10);
        transport.answerNext(RecordingTransport.LOSE_CONNECTION);
        CompletableFuture<Void> sent = sender.send(message());
        pass(timeline, Duration.ofSeconds(5));

        assertThat(sent).isCompleted();
    }

    @Test
    void endsAtItsDeadlineWhenThereIsNoneUntilThen() {
        VirtualTimeline timeline = VirtualTimeline.skipping();
        RecordingTransport transport = new RecordingTransport();
        ConfirmedSender sender = new ConfirmedSender(
                transport,
                timeline,
                task -> {
                    throw new OutOfMemoryError("no thread (simulated)");
                },
                Duration.ofSeconds(30),
                10);
        transport.answerNext(RecordingTransport.LOSE_CONNECTION);
        CompletableFuture<Void> sent = sender.send(message());
        pass(timeline, Duration.ofSeconds(27)); // no attempt is made that could not begin in time
        assertThat(sent).isNotDone();
        pass(timeline, Duration.ofSeconds(3));

        assertThat(sent)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionLostException.class);
    }

    @Test
    void endsAndFreesItsPlaceWhenNothingCanBeScheduled() {
        WatchedTimeline closed = new WatchedTimeline(VirtualTimeline.skipping());
        closed.schedulingFails(new RejectedExecutionException("closed (simulated)"));
        RecordingTransport transport = new RecordingTransport();
        ConfirmedSender sender = new ConfirmedSender(transport, closed, Runnable::run, Duration.ofMillis(500), 1);
        transport.answerNext(RecordingTransport.LOSE_CONNECTION);
        CompletableFuture<Void> lost = sender.send(message());
        CompletableFuture<Void> next = sender.send(message());

        assertThat(lost)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionLostException.class);
        assertThat(next).as("the only place is free again").isCompleted();
    }
}
