// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.Wires;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.poison.PoisonOperation.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class AuditedMovesTest {

    private static final int MANY = 25_000;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();

    @Test
    void listenersHearOfEachMoveHoweverSlowTheyAre() {
        List<SafeBunnyEvent> heard = new ArrayList<>();
        Executor slow = task -> timeline.schedule(Duration.ofSeconds(1), task);
        Events events = new Events(
                "billing", List.of(heard::add), slow, timeline, new BoundedLog(timeline, ExceptionDetails.FULL));
        TrackedOperation operation =
                new TrackedOperation(Kind.REPLAY, PoisonNode.everything(), timeline, ExceptionDetails.FULL);

        for (int i = 0; i < MANY; i++) {
            events.moved(operation, PoisonNode.QUEUE, Wires.orderPlaced().wire());
        }
        events.stop();

        assertThat(heard).hasSize(MANY);
    }

    @Test
    void listenersHearOfMovesThatGoOnWhileTheNodeStops() {
        List<SafeBunnyEvent> heard = new ArrayList<>();
        Events events = new Events(
                "billing",
                List.of(heard::add),
                Runnable::run,
                timeline,
                new BoundedLog(timeline, ExceptionDetails.FULL));
        TrackedOperation operation =
                new TrackedOperation(Kind.REPLAY, PoisonNode.everything(), timeline, ExceptionDetails.FULL);

        events.stop();
        events.moved(operation, PoisonNode.QUEUE, Wires.orderPlaced().wire());

        assertThat(heard).hasSize(1);
    }

    @Test
    void anInterruptedOperationIsAuditedToo() {
        List<SafeBunnyEvent> heard = new ArrayList<>();
        Executor never = task -> {};
        Events events = new Events(
                "billing", List.of(heard::add), never, timeline, new BoundedLog(timeline, ExceptionDetails.FULL));
        TrackedOperation operation =
                new TrackedOperation(Kind.REPLAY, PoisonNode.everything(), timeline, ExceptionDetails.FULL);

        Thread.currentThread().interrupt();
        for (int i = 0; i < MANY; i++) {
            events.moved(operation, PoisonNode.QUEUE, Wires.orderPlaced().wire());
        }

        assertThat(Thread.interrupted()).isTrue();
        assertThat(heard).hasSize(MANY);
    }

    /** And takes no place of what waits. */
    @Test
    void aMoveIsToldHoweverManyEventsWait() {
        List<SafeBunnyEvent> heard = new ArrayList<>();
        Deque<Runnable> handedOver = new ArrayDeque<>();
        Events events = new Events(
                "billing",
                List.of(heard::add),
                handedOver::add,
                timeline,
                new BoundedLog(timeline, ExceptionDetails.FULL));
        TrackedOperation operation =
                new TrackedOperation(Kind.REPLAY, PoisonNode.everything(), timeline, ExceptionDetails.FULL);
        for (int i = 0; i < 10_000; i++) {
            events.takenOver(Wires.orderPlaced().envelope(), 1);
        }

        events.moved(operation, PoisonNode.QUEUE, Wires.orderPlaced().wire());

        assertThat(heard).singleElement().isInstanceOf(SafeBunnyEvent.MessageMoved.class);
        handedOver.forEach(Runnable::run);
        assertThat(heard).hasSize(10_001);
    }
}
