// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.ScheduledMessage.Status;
import io.safebunny.ScheduledMessages;
import io.safebunny.engine.SafeBunnyEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * The guarantees of scheduled messages on every store, with two instances of their node and real threads. A store's test extends it and
 * opens the store.
 */
public abstract class ScheduledContract extends ScheduledOperatorRules {

    private static final int MESSAGES = 90;

    /** Cancels and moves while the message becomes due on the other instance: the result of the call must match what happens. */
    @Test
    void answersWhatHappensHoweverCloseTheRace() {
        List<SafeBunnyEngine> diary = start();
        ScheduledMessages one = diary.get(0).get(ScheduledMessages.class);
        ScheduledMessages two = diary.get(1).get(ScheduledMessages.class);
        Instant due = timeline.now().plusSeconds(3); // late enough, even on a busy machine
        List<String> handles = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            handles.add(one.schedule(new Reminder(i), at(due)));
        }
        Instant later = due.plusMillis(1_500);
        Map<Integer, Boolean> answers = new ConcurrentHashMap<>();
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            int number = i;
            if (i % 3 != 0) {
                calls.add(CompletableFuture.runAsync(
                        () -> {
                            sleepUntil(due.plusMillis(number * 4L - 180));
                            answers.put(
                                    number,
                                    number % 3 == 1
                                            ? two.cancel(handles.get(number))
                                            : two.move(handles.get(number), later));
                        },
                        threads));
            }
        }
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();

        long cancelled = answers.entrySet().stream()
                .filter(answer -> answer.getKey() % 3 == 1 && answer.getValue())
                .count();
        await().until(() -> arrivals.size() >= MESSAGES - cancelled);
        await().until(() -> timeline.now().isAfter(later.plusMillis(500)));
        for (int i = 0; i < MESSAGES; i++) {
            List<Instant> arrived = arrivals.getOrDefault(i, List.of());
            boolean isCancelled = i % 3 == 1 && Boolean.TRUE.equals(answers.get(i));
            boolean isMoved = i % 3 == 2 && Boolean.TRUE.equals(answers.get(i));
            assertThat(arrived).as("message %s, answered %s", i, answers.get(i)).hasSize(isCancelled ? 0 : 1);
            arrived.forEach(at -> assertThat(at).isAfterOrEqualTo(isMoved ? later : due));
        }
        assertThat(answers).containsValue(true);
        assertThat(broker.messages(node + "-poison")).isEmpty();
    }

    private void sleepUntil(Instant instant) {
        try {
            Duration left = Duration.between(timeline.now(), instant);
            timeline.sleep(left.isNegative() ? Duration.ZERO : left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void cancelsBeforeAnyInstanceHasTakenIt() {
        List<SafeBunnyEngine> diary = start();
        ScheduledMessages messages = diary.get(0).get(ScheduledMessages.class);
        for (int i = 0; i < 20; i++) {
            String handle = messages.schedule(new Reminder(i), at(timeline.now().plusSeconds(3)));
            assertThat(messages.cancel(handle)).isTrue();
            assertThat(diary.get(1).get(ScheduledMessages.class).cancel(handle)).isTrue();
        }
        String last = messages.schedule(new Reminder(20), at(timeline.now().plusMillis(3_100)));

        await().until(() -> arrivals.containsKey(20));
        assertThat(arrivals).hasSize(1);
        assertThat(messages.cancel(last)).isFalse();
    }

    @Test
    void cancelsAtOnceThoughTheHandlerFails() {
        List<SafeBunnyEngine> diary = start();
        ScheduledMessages messages = diary.get(0).get(ScheduledMessages.class);
        String handle = messages.schedule(new Reminder(1), at(timeline.now().plusSeconds(5)));
        await().until(() -> messages.find(handle).isPresent());
        var unused = start("desk", false, List.of()).bunny().publish(new CancelAndFail(handle));

        await().until(() -> failed.get() == 1);
        var unusedSchedule = engines.get(engines.size() - 1).bunny().publish(new Schedule(0));
        var unusedOther = engines.get(engines.size() - 1).bunny().publish(new Schedule(2));
        await().until(() -> arrivals.containsKey(2));
        await().until(() -> broker.messages(node + "-poison").size() == 2);
        assertThat(messages.find(handle))
                .hasValueSatisfying(found -> assertThat(found.status()).isEqualTo(Status.CANCELLED));
        assertThat(arrivals).hasSize(1);
    }
}
