// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessage;
import io.safebunny.ScheduledMessage.Status;
import io.safebunny.ScheduledMessages;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.MessageTypes;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.scheduling.ScheduledOperations;
import io.safebunny.scheduling.ScheduledOperations.Entry;
import io.safebunny.scheduling.ScheduledOperations.Page;
import io.safebunny.scheduling.ScheduledOperations.Query;
import io.safebunny.scheduling.Scheduling;
import io.safebunny.store.MessageStore;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What operators are told of scheduled messages on every store: what waits, and whether they or the publication came first. Two instances of
 * the node run, so that either may be the one that publishes.
 */
public abstract class ScheduledOperatorRules {

    private static final int FAR = 1_000;

    /** The scheduled message. */
    public record Reminder(int number) {}

    /** Makes a handler cancel a scheduled message and then fail. */
    public record CancelAndFail(String handle) {}

    /** Makes a handler schedule a message. */
    public record Schedule(int number) {}

    final String node = "diary-" + UUID.randomUUID();
    final SystemTimeline timeline = new SystemTimeline("scheduled-test");
    final ExecutorService threads = Executors.newCachedThreadPool();
    final MemoryBroker broker = new MemoryBroker(timeline, threads);
    final List<SafeBunnyEngine> engines = new ArrayList<>();
    final Map<Integer, List<Instant>> arrivals = new ConcurrentHashMap<>();
    final AtomicInteger failed = new AtomicInteger();

    /** Told of each write of a scheduled message before it is made, on the thread that makes it. */
    private volatile Consumer<ScheduledMessage> before = written -> {};

    /** Opens the store of the node. Called once for each instance. */
    protected abstract MessageStore store(String ofNode);

    final SafeBunnyEngine start(String name, boolean schedules, List<HandlerDefinition> handlers) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name).withLease(Duration.ofSeconds(10)),
                        new MemoryTransport(broker, TopologyOptions.defaults()),
                        timeline)
                .store(watched(store(name)))
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
    final List<SafeBunnyEngine> start() {
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

    /** The store, of whose writes {@link #before} is told. */
    private MessageStore watched(MessageStore real) {
        Class<?> type =
                real instanceof TransactionalMessageStore ? TransactionalMessageStore.class : MessageStore.class;
        return (MessageStore)
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (arguments != null && !method.getName().startsWith("find")) {
                        written(arguments).forEach(before);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNullElse(e.getCause(), e);
                    }
                });
    }

    private static List<ScheduledMessage> written(@Nullable Object[] arguments) {
        return Stream.of(arguments)
                .flatMap(argument -> argument instanceof Collection<?> some ? some.stream() : Stream.of(argument))
                .filter(MessageRecord.class::isInstance)
                .map(record -> Scheduling.read((MessageRecord) record))
                .flatMap(Stream::ofNullable)
                .toList();
    }

    static ConditionFactory await() {
        return Awaitility.await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(60));
    }

    static PublishOptions at(Instant due) {
        return PublishOptions.none().withDeliverAt(due);
    }

    private static ScheduledOperations operator(SafeBunnyEngine instance) {
        return instance.get(ScheduledOperations.class);
    }

    /** What an operator does, and the answer: what is stored then, or why it was refused. */
    private static String answer(ScheduledOperations operator, Function<ScheduledOperations, Entry> action) {
        try {
            return action.apply(operator).status().name();
        } catch (MisuseException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** All that an operator may do, each on a message of its own: the first is cancelled, the others are moved. */
    private List<Function<ScheduledOperations, Entry>> actions(List<String> ids) {
        Instant later = timeline.now().plusSeconds(FAR);
        return List.of(
                operator -> operator.cancel(ids.get(0), null, "ann", "test"),
                operator -> operator.move(ids.get(1), null, later, "ann", "test"),
                operator -> operator.move(ids.get(2), null, timeline.now(), "ann", "test"));
    }

    /** Handles of three messages that are stored, and not due for long. */
    private List<String> scheduleThree(SafeBunnyEngine instance) {
        ScheduledMessages messages = instance.get(ScheduledMessages.class);
        Instant due = timeline.now().plusSeconds(FAR);
        List<String> handles = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String handle = messages.schedule(new Reminder(i), at(due));
            await().until(() -> messages.find(handle).isPresent());
            handles.add(handle);
        }
        return handles;
    }

    private static List<String> idsOf(List<String> handles) {
        return handles.stream().map(handle -> handle.split("~", -1)[1]).toList();
    }

    private void makeDue(SafeBunnyEngine instance, List<String> handles) {
        handles.forEach(
                handle -> assertThat(instance.get(ScheduledMessages.class).move(handle, timeline.now()))
                        .isTrue());
    }

    /** After this, whatever was about to be published has been. */
    private void awaitAnother(SafeBunnyEngine instance) {
        String unused = instance.get(ScheduledMessages.class)
                .schedule(new Reminder(FAR), at(timeline.now().plusSeconds(1)));
        await().until(() -> arrivals.containsKey(FAR));
    }

    /** The operator's write comes between what the publication has read and what it writes, unless the store keeps others out. */
    @Test
    public void whatAnOperatorHasChangedIsNotPublishedByWhoReadItBefore() {
        List<SafeBunnyEngine> diary = start();
        List<String> handles = scheduleThree(diary.get(0));
        List<String> ids = idsOf(handles);
        List<Function<ScheduledOperations, Entry>> actions = actions(ids);
        Map<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
        before = write -> {
            int number = ids.indexOf(write.messageId());
            if (write.status() == Status.PUBLISHED && number >= 0) {
                CompletableFuture<String> answer = answers.computeIfAbsent(
                        write.messageId(),
                        first -> CompletableFuture.supplyAsync(
                                () -> answer(operator(diary.get(1)), actions.get(number)), threads));
                awaitShortly(answer);
            }
        };
        makeDue(diary.get(0), handles);
        await().until(() -> answers.size() == ids.size());
        List<String> answered = ids.stream()
                .map(id -> Objects.requireNonNull(answers.get(id))
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join())
                .toList();
        await().until(() -> arrivals.containsKey(2));
        awaitAnother(diary.get(0));

        for (int i = 0; i < ids.size(); i++) {
            boolean isDone = i == 0
                    ? answered.get(i).equals("CANCELLED")
                    : answered.get(i).equals("WAITING");
            assertThat(isDone || answered.get(i).contains("it was published at"))
                    .as(answered.get(i))
                    .isTrue();
            assertThat(arrivals.getOrDefault(i, List.of()))
                    .as("message %s, answered %s", i, answered.get(i))
                    .hasSize(isDone && i < 2 ? 0 : 1);
        }
        assertThat(broker.messages(node + "-poison")).isEmpty();
    }

    /** In some stores the operator has to wait for the publication, which must then go on. */
    private static void awaitShortly(CompletableFuture<String> answer) {
        try {
            String unused = answer.get(500, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // it is asked for later
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** The publication comes between what the operator has read and what the operator writes. */
    @Test
    public void whatIsPublishedIsNotChangedByWhoReadItBefore() {
        List<SafeBunnyEngine> diary = start();
        List<String> handles = scheduleThree(diary.get(0));
        List<String> ids = idsOf(handles);
        List<Function<ScheduledOperations, Entry>> actions = actions(ids);
        ThreadLocal<Integer> acts = new ThreadLocal<>();
        CountDownLatch read = new CountDownLatch(ids.size());
        before = write -> {
            Integer number = acts.get();
            if (number != null) {
                read.countDown();
                await().until(() -> arrivals.containsKey(number));
            }
        };
        List<CompletableFuture<String>> answers = new CopyOnWriteArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            int number = i;
            answers.add(CompletableFuture.supplyAsync(
                    () -> {
                        acts.set(number);
                        return answer(operator(diary.get(1)), actions.get(number));
                    },
                    threads));
        }
        await().until(() -> read.getCount() == 0);
        makeDue(diary.get(0), handles);
        List<String> answered = answers.stream()
                .map(answer -> answer.orTimeout(60, TimeUnit.SECONDS).join())
                .toList();
        awaitAnother(diary.get(0));

        assertThat(answered).allSatisfy(answer -> assertThat(answer).contains("SB-5028", "it was published at"));
        for (int i = 0; i < ids.size(); i++) {
            assertThat(arrivals.get(i)).as("message %s", i).hasSize(1);
            assertThat(operator(diary.get(0)).get(ids.get(i)).status()).isEqualTo(Status.PUBLISHED);
        }
    }

    @Test
    public void listsWhatWaitsInTheOrderInWhichItIsDue() {
        List<SafeBunnyEngine> diary = start();
        ScheduledMessages messages = diary.get(0).get(ScheduledMessages.class);
        Instant due = timeline.now().plusSeconds(FAR);
        int[] order = {3, 1, 4, 1, 5, 2, 6, 1};
        List<String> handles = new ArrayList<>();
        for (int seconds : order) {
            handles.add(messages.schedule(
                    new Reminder(seconds), at(due.plusSeconds(seconds)).withCorrelationId("order-" + seconds)));
        }
        await().until(() ->
                handles.stream().allMatch(handle -> messages.find(handle).isPresent()));

        List<Entry> listed = new ArrayList<>();
        String next = null;
        do {
            Page page = operator(diary.get(1)).page(new Query(null, null, next, 2));
            assertThat(page.messages()).hasSizeBetween(1, 2);
            listed.addAll(page.messages());
            next = page.next();
        } while (next != null);
        assertThat(listed)
                .extracting(Entry::correlationId)
                .containsExactly(
                        "order-1", "order-1", "order-1", "order-2", "order-3", "order-4", "order-5", "order-6");
        assertThat(listed).extracting(Entry::messageId).doesNotHaveDuplicates();
        assertThat(listed).extracting(Entry::type).containsOnly("Reminder");

        assertThat(operator(diary.get(1))
                        .page(new Query("Reminder", "order-1", null, 100))
                        .messages())
                .hasSize(3);
        Entry cancelled = operator(diary.get(1)).cancel(listed.get(0).messageId(), null, "ann", "test");
        assertThat(cancelled.status()).isEqualTo(Status.CANCELLED);
        Page left = operator(diary.get(0)).page(new Query(null, null, null, 100));
        assertThat(left.messages()).hasSize(order.length - 1);
        assertThat(left.next()).isNull();
        assertThat(operator(diary.get(0))
                        .page(new Query(null, "nobody", null, 100))
                        .messages())
                .isEmpty();
    }
}
