// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.safebunny.failure.ConnectionLostException;
import io.safebunny.fixture.ManualTimeline;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;
import io.safebunny.time.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** A moment without a thread must not use up the whole time of a publication. */
class NoThreadToSendAgainTest {

    private static OutboundMessage message() {
        return new OutboundMessage(
                Wires.orderPlaced().wire(), new Route.Publication("orders-OrderPlaced"), Duration.ZERO);
    }

    /** What a task throws keeps a scheduler from nothing. */
    private static void pass(ManualTimeline timeline, Duration duration) {
        long end = timeline.nanoTime() + duration.toNanos();
        while (timeline.nanoTime() < end) {
            Throwable unused = catchThrowable(() -> timeline.advance(Duration.ofNanos(end - timeline.nanoTime())));
        }
    }

    @Test
    void isTriedAgain() {
        ManualTimeline timeline = new ManualTimeline();
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
        ManualTimeline timeline = new ManualTimeline();
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
        pass(timeline, Duration.ofSeconds(29));
        assertThat(sent).isNotDone();
        pass(timeline, Duration.ofSeconds(1));

        assertThat(sent)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionLostException.class);
    }

    @Test
    void endsAndFreesItsPlaceWhenNothingCanBeScheduled() {
        ManualTimeline time = new ManualTimeline();
        Timeline closed = new Timeline() {
            @Override
            public Instant now() {
                return time.now();
            }

            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(Duration delay, Runnable task) {
                throw new RejectedExecutionException("closed (simulated)");
            }

            @Override
            public void sleep(Duration duration) throws InterruptedException {
                time.sleep(duration);
            }

            @Override
            public <T> T await(CompletableFuture<T> future, Duration timeout)
                    throws InterruptedException, ExecutionException, TimeoutException {
                return time.await(future, timeout);
            }

            @Override
            public RandomGenerator random() {
                return time.random();
            }
        };
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
