// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessage.Status;
import io.safebunny.ScheduledMessages;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.rabbit.instance.NodeUnderTest;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.time.SystemTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scheduled messages on a real broker, whose delay queues are emptied, and which their node leaves and comes back to. */
@Timeout(120)
class ScheduledIT {

    private static final int EACH = 10;
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int LAST = 1_000;

    record Reminder(int number) {}

    private final OwnLadder ladder = new OwnLadder(TestBroker.shared(), "it-scheduled");
    private final SystemTimeline timeline = new SystemTimeline("scheduled");
    private final MemoryMessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final Map<Integer, List<Instant>> arrivals = new ConcurrentHashMap<>();

    @AfterEach
    void end() {
        ladder.remove("it-diary", "poison", "dead-letters", "BunnyScheduled");
        ladder.remove("it-reader", "poison", "dead-letters", "Reminder");
        timeline.close();
    }

    private NodeUnderTest diary() {
        return NodeUnderTest.startWaiting(ladder.node("it-diary", true), ladder.prefix(), store, LEASE);
    }

    /** Remembers nothing, so that it sees a second publication. */
    private NodeUnderTest reader() {
        return NodeUnderTest.startWith(
                ladder.node("it-reader", false),
                ladder.topology(),
                bunny -> List.of(new HandlerDefinition(
                        "reader",
                        "Reminder",
                        Reminder.class,
                        List.of("it-diary"),
                        20,
                        RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                        (payload, context) -> arrivals.computeIfAbsent(
                                        ((Reminder) payload).number(), number -> new CopyOnWriteArrayList<>())
                                .add(Instant.now()))));
    }

    private static List<String> schedule(ScheduledMessages messages, int first, Instant due) {
        List<String> handles = new ArrayList<>();
        for (int number = first; number < first + EACH; number++) {
            handles.add(messages.schedule(
                    new Reminder(number), PublishOptions.none().withDeliverAt(due)));
        }
        return handles;
    }

    @Test
    void eachIsPublishedOnceUnlessItIsCancelledThoughItsAlarmIsLostAndItsNodeRestarts() {
        Instant due = Instant.ofEpochMilli(Instant.now().toEpochMilli() + 10_000);
        Instant later = due.plusSeconds(1);
        Instant nextHour = due.plus(Duration.ofHours(1));
        try (NodeUnderTest unused = reader()) {
            List<String> kept;
            List<String> cancelledAfter;
            List<String> movedUp;
            List<String> cancelled;
            try (NodeUnderTest diary = diary()) {
                ScheduledMessages messages = diary.scheduledMessages();
                kept = schedule(messages, 0, due);
                cancelled = schedule(messages, EACH, due);
                cancelledAfter = schedule(messages, 2 * EACH, due);
                List<String> movedBack = schedule(messages, 3 * EACH, due);
                movedUp = schedule(messages, 4 * EACH, nextHour);
                List<String> all = new ArrayList<>(kept);
                List.of(cancelled, cancelledAfter, movedBack, movedUp).forEach(all::addAll);
                await().atMost(SOON).until(() -> all.stream()
                        .allMatch(handle -> messages.find(handle).isPresent()));
                assertThat(cancelled).allMatch(messages::cancel);
                assertThat(movedBack).allMatch(handle -> messages.move(handle, later));
                int[] lost = {0};
                await().atMost(SOON).until(() -> (lost[0] += ladder.empty(false)) == 5 * EACH);
            }
            int unusedCount = ladder.empty(true);
            try (NodeUnderTest diary = diary()) {
                ScheduledMessages messages = diary.scheduledMessages();
                assertThat(cancelledAfter).allMatch(messages::cancel);
                assertThat(movedUp).allMatch(handle -> messages.move(handle, due));
                assertThat(Instant.now()).as("all this was before they are due").isBefore(due);

                await().atMost(SOON).until(() -> arrivals.size() == 3 * EACH);
                String last = messages.schedule(
                        new Reminder(LAST), PublishOptions.none().withDelay(LEASE));
                await().atMost(SOON).until(() -> arrivals.containsKey(LAST));

                assertArrived(0, due);
                assertArrived(3 * EACH, later);
                assertArrived(4 * EACH, due);
                assertThat(arrivals).hasSize(3 * EACH + 1);
                assertStatus(messages, kept, Status.PUBLISHED);
                assertStatus(messages, cancelled, Status.CANCELLED);
                assertStatus(messages, cancelledAfter, Status.CANCELLED);
                assertThat(messages.cancel(last)).isFalse();
            }
        }
    }

    private void assertArrived(int first, Instant due) {
        for (int number = first; number < first + EACH; number++) {
            assertThat(arrivals.get(number))
                    .as("arrivals of message %d", number)
                    .singleElement()
                    .satisfies(arrived -> assertThat(arrived).isBetween(due, due.plus(LEASE.multipliedBy(2))));
        }
    }

    private static void assertStatus(ScheduledMessages messages, List<String> handles, Status status) {
        assertThat(handles)
                .extracting(handle -> messages.find(handle).map(ScheduledMessage::status))
                .allSatisfy(found -> assertThat(found).contains(status));
    }
}
