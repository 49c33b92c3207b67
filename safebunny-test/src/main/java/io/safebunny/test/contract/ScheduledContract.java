// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage.Status;
import io.safebunny.ScheduledMessages;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.store.MessageStore;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The guarantees of scheduled messages on every store, with two instances of their node and real threads. A store's test extends it and
 * opens the store.
 */
public abstract class ScheduledContract {

    private static final int MESSAGES = 90;

    /** The scheduled message. */
    public record Reminder(int number) {}

    /** Makes a handler cancel a scheduled message and then fail. */
    public record CancelAndFail(String handle) {}

    /** Makes a handler schedule a message. */
    public record Schedule(int number) {}

    private final String node = "diary-" + UUID.randomUUID();
    private final SystemTimeline timeline = new SystemTimeline("scheduled-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private final Map<Integer, List<Instant>> arrivals = new ConcurrentHashMap<>();
    private final AtomicInteger failed = new AtomicInteger();

    /** Opens the store of the node. Called once for each instance. */
    protected abstract MessageStore store(String ofNode);

    private SafeBunnyEngine start(String name, boolean schedules, List<HandlerDefinition> handlers) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name).withLease(Duration.ofSeconds(10)),
                        new MemoryTransport(broker, TopologyOptions.defaults()),
                        timeline)
                .store(store(name))
                .scheduling(schedules)
                .callbacks(threads)
                .build());
        engine.start(handlers);
        engines.add(engine);
        return engine;
    }

    private static HandlerDefinition handler(String from, Class<?> payload, HandlerInvoker invoker) {
        String type = MessageTypes.nameOf(payload);
        return new HandlerDefinition(
                type,
                type,
                payload,
                List.of(from),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                invoker);
    }

    /** Two instances of the scheduling node, and one node that records what it receives. */
    private List<SafeBunnyEngine> start() {
        SafeBunnyEngine unused = start(
                "reader", false, List.of(handler(node, Reminder.class, (payload, context) -> arrivals.computeIfAbsent(
                                ((Reminder) payload).number(), number -> new ArrayList<>())
                        .add(timeline.now()))));
        SafeBunnyEngine[] diary = new SafeBunnyEngine[2];
        for (int i = 0; i < diary.length; i++) {
            diary[i] = start(
                    node,
                    true,
                    List.of(
                            handler("desk", CancelAndFail.class, (payload, context) -> {
                                assertThat(diary[0].get(ScheduledMessages.class)
                                                .cancel(((CancelAndFail) payload).handle()))
                                        .isTrue();
                                failed.incrementAndGet();
                                throw new IllegalStateException("test");
                            }),
                            handler("desk", Schedule.class, (payload, context) -> {
                                int number = ((Schedule) payload).number();
                                String unusedHandle = diary[0].get(ScheduledMessages.class)
                                        .schedule(
                                                new Reminder(number),
                                                PublishOptions.none().withDelay(Duration.ofMillis(200)));
                                if (number == 0) {
                                    throw new IllegalStateException("test");
                                }
                            })));
        }
        return List.of(diary);
    }

    @AfterEach
    final void stopNodes() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(60));
    }

    private static PublishOptions at(Instant due) {
        return PublishOptions.none().withDeliverAt(due);
    }

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
