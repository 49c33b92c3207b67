// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetrySettings;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefaults;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.HandlerInvoker;
import io.safebunny.handler.SagaDefinition;
import io.safebunny.handler.scanning.SagaScanner;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaPage;
import io.safebunny.saga.SagaQuery;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.saga.management.SagaSupervision;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Deadline;
import io.safebunny.time.SystemTimeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * The guarantees of sagas on every store, with two instances of their node and real threads. A store's test extends it and opens the store.
 */
public abstract class SagaContract {

    private static final int FAILED = 50;
    private static final int LISTED = 20;

    /** Starts a saga. */
    public record Begin() {}

    /** Adds to the sum. */
    public record Add(int amount) {}

    /** A step. */
    public record Charge(String order) {}

    /** The undo of {@link Charge}. */
    public record GiveBack(String order) {}

    /** Makes the saga fail. */
    public record Declined(String order) {}

    /** Adds up numbers, and undoes when told to. */
    @BunnySaga
    static class Sums {
        record State(int messages, int sum) {}

        private final AtomicInteger runs = new AtomicInteger();

        @Starts
        @BunnyHandler(from = "desk")
        State on(Begin begin, SagaContext saga) {
            saga.step("charge", new Charge(saga.sagaId()), new GiveBack(saga.sagaId()));
            saga.timeout("late", Duration.ofDays(1));
            return new State(0, 0);
        }

        @BunnyHandler(from = "desk")
        State on(Add add, State state) {
            runs.incrementAndGet();
            return new State(state.messages() + 1, state.sum() + add.amount());
        }

        @BunnyHandler(from = "billing")
        void on(Declined declined, SagaContext saga) {
            saga.fail("declined");
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.fail("too late");
        }
    }

    private final String node = "sums-" + UUID.randomUUID();
    private final SystemTimeline timeline = new SystemTimeline("saga-test");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Sums saga = new Sums();
    private final List<SafeBunnyEngine> engines = new ArrayList<>();
    private Duration sagaRetention = Duration.ofDays(30);

    /** Opens the store of the node. Called once for each instance. */
    protected abstract MessageStore store(String ofNode);

    /** Number of messages for the one contended saga. */
    protected int messages() {
        return 1_000;
    }

    /**
     * Maximum number of runs of the contended saga's handler. On a store without locks, messages that lose a race are handled again.
     *
     * @param messages number of messages that the saga receives
     */
    protected abstract int mostRuns(int messages);

    private SafeBunnyEngine start(String name, List<HandlerDefinition> handlers, Object... sagas) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(name)
                                .withLease(Duration.ofSeconds(10))
                                .withSagaRetention(sagaRetention),
                        new MemoryTransport(broker, TopologyOptions.defaults()),
                        timeline)
                .store(store(name))
                .callbacks(threads)
                .meterRegistry(meters)
                .build());
        engine.start(handlers, definitions(sagas));
        engines.add(engine);
        return engine;
    }

    private static List<SagaDefinition> definitions(Object... sagas) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (Object saga : sagas) {
            beans.registerSingleton(saga.getClass().getSimpleName(), saga);
        }
        return new SagaScanner(
                        beans,
                        new HandlerDefaults(
                                10,
                                new RetrySettings(0, Duration.ZERO, 1, Duration.ZERO, 0),
                                new RetryStrategy(List.of(Duration.ofMillis(200), Duration.ofSeconds(1)), 0)),
                        null)
                .sagas();
    }

    private HandlerDefinition handler(Class<?> payload, HandlerInvoker invoker) {
        String type = MessageTypes.nameOf(payload);
        return new HandlerDefinition(
                type,
                type,
                payload,
                List.of(node),
                10,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                invoker);
    }

    @AfterEach
    final void stopNodes() {
        engines.forEach(engine -> engine.stop(Duration.ofSeconds(5)));
        threads.shutdownNow();
        timeline.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(90));
    }

    private SagaView view(SafeBunnyEngine engine, String id) {
        return engine.get(Sagas.class).find(id).get(0);
    }

    @Test
    void messagesToOneSagaAddUpAndCostNoAttempt() {
        int messages = messages();
        SafeBunnyEngine desk = start("desk", List.of());
        SafeBunnyEngine unusedBilling = start("billing", List.of(handler(Charge.class, (payload, context) -> {})));
        SafeBunnyEngine one = start(node, List.of(), saga);
        SafeBunnyEngine two = start(node, List.of(), saga);
        PublishOptions toHot = PublishOptions.none().withCorrelationId("hot");
        var unusedBegun = desk.bunny().publish(new Begin(), toHot);
        await().until(() -> !one.get(Sagas.class).find("hot").isEmpty());

        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = 1; i <= messages; i++) {
            sent.add(desk.bunny().publishAsync(new Add(i), toHot));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();

        String all = "{\"messages\":%s,\"sum\":%s}".formatted(messages, messages * (messages + 1) / 2);
        await().until(() -> view(two, "hot").state().equals(all));
        await().until(broker.messages(node + "-Add")::isEmpty);
        assertThat(saga.runs.get()).isBetween(messages, mostRuns(messages));
        assertThat(counted("safebunny.retries")).isZero();
        assertThat(counted("safebunny.poison")).isZero();
        assertThat(broker.messages(node + "-poison")).isEmpty();
    }

    @Test
    void eachIsListedOnceAndTheOldestFirstPageByPage() {
        SafeBunnyEngine desk = start("desk", List.of());
        SafeBunnyEngine one = start(node, List.of(), saga);
        for (int i = 0; i < LISTED; i++) {
            var unused = desk.bunny().publish(new Begin(), PublishOptions.none().withCorrelationId(node + "-" + i));
        }
        await().untilAsserted(() -> assertThat(page(one, null, LISTED).sagas()).hasSize(LISTED));

        List<SagaView> listed = new ArrayList<>();
        String after = null;
        do {
            SagaPage page = page(one, after, 3);
            assertThat(page.sagas()).hasSizeLessThanOrEqualTo(3);
            listed.addAll(page.sagas());
            after = page.next();
        } while (after != null);
        assertThat(listed).extracting(SagaView::id).hasSize(LISTED).doesNotHaveDuplicates();
        assertThat(listed).extracting(SagaView::startedAt).isSorted();
    }

    private static SagaPage page(SafeBunnyEngine engine, @Nullable String after, int limit) {
        return engine.get(Sagas.class)
                .page(new SagaQuery("Sums", EnumSet.allOf(SagaStatus.class), false, after, limit));
    }

    private double counted(String meter) {
        return meters.find(meter).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void whatAParticipantHasDoneIsUndoneOnce() {
        Map<String, Integer> charged = new ConcurrentHashMap<>();
        SafeBunnyEngine desk = start("desk", List.of());
        SafeBunnyEngine one = start(node, List.of(), saga);
        SafeBunnyEngine[] billing = new SafeBunnyEngine[1];
        billing[0] = start(
                "billing",
                List.of(
                        handler(Charge.class, (payload, context) -> {
                            charged.merge(context.correlationId(), 1, Integer::sum);
                            var unused = billing[0].bunny().publish(new Declined(context.correlationId()));
                        }),
                        handler(
                                GiveBack.class,
                                (payload, context) -> charged.merge(context.correlationId(), -1, Integer::sum))));
        for (int i = 0; i < FAILED; i++) {
            var unused = desk.bunny().publish(new Begin(), PublishOptions.none().withCorrelationId(node + "-" + i));
        }

        for (int i = 0; i < FAILED; i++) {
            String id = node + "-" + i;
            await().until(() ->
                    one.get(Sagas.class).find(id).stream().anyMatch(view -> view.status() == SagaStatus.FAILED));
            assertThat(charged).containsEntry(id, 0);
            assertThat(view(one, id).timeouts()).isEmpty();
        }
        await().untilAsserted(() -> assertThat(failed(one)).hasSize(FAILED));
        Counter failed = meters.find("safebunny.saga").tags("state", "failed").counter();
        assertThat(failed).isNotNull().satisfies(count -> assertThat(count.count())
                .isEqualTo(FAILED));
    }

    private static List<SagaView> failed(SafeBunnyEngine engine) {
        return engine.get(Sagas.class).list("Sums", SagaStatus.FAILED, Duration.ZERO, 100);
    }

    @Test
    void oneThatHasEndedIsLetGoAfterItsRetentionAndNotBegunAnew() {
        sagaRetention = Duration.ofSeconds(1);
        SafeBunnyEngine desk = start("desk", List.of());
        SafeBunnyEngine one = start(node, List.of(), saga);
        SafeBunnyEngine billing = start(
                "billing",
                List.of(
                        handler(Charge.class, (payload, context) -> {}),
                        handler(GiveBack.class, (payload, context) -> {})));
        PublishOptions toIt = PublishOptions.none().withCorrelationId("ended");
        var unusedBegun = desk.bunny().publish(new Begin(), toIt);
        await().until(() -> !one.get(Sagas.class).find("ended").isEmpty());
        var unusedDeclined = billing.bunny().publish(new Declined("ended"), toIt);
        await().until(() -> view(one, "ended").status() == SagaStatus.FAILED);

        await().untilAsserted(() -> assertThat(failed(one)).isEmpty()); // no instance looks after it any more

        long version = view(one, "ended").version();
        var unusedAgain = desk.bunny().publish(new Begin(), toIt);
        var unusedAdd = desk.bunny().publish(new Add(1), toIt);
        await().until(() -> counted("safebunny.saga.ignored", "late") == 2);
        assertThat(view(one, "ended"))
                .satisfies(view -> assertThat(view.status()).isEqualTo(SagaStatus.FAILED))
                .satisfies(view -> assertThat(view.version()).isEqualTo(version));
        assertThat(saga.runs).hasValue(0);
    }

    private double counted(String meter, String reason) {
        return meters.find(meter).tag("reason", reason).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void whatIsSetAsideConcernsTheSagaThatSentItOrForWhichItWasMeant() {
        SafeBunnyEngine desk = start("desk", List.of());
        SafeBunnyEngine unusedBilling = start(
                "billing",
                List.of(
                        handler(Charge.class, (payload, context) -> {
                            throw new PoisonMessageException("as the test wants");
                        }),
                        handler(GiveBack.class, (payload, context) -> {})));
        SafeBunnyEngine one = start(node, List.of(), saga);
        var unusedBegun =
                desk.bunny().publish(new Begin(), PublishOptions.none().withCorrelationId("told"));

        await().until(() -> !one.get(Sagas.class).find("told").isEmpty()
                && view(one, "told").blockedOn().size() == 1);
        assertThat(one.get(Sagas.class).list("Sums", SagaStatus.ACTIVE, Duration.ZERO, 10))
                .hasSize(1);

        sendUnreadable("told");
        await().until(() -> view(one, "told").status() == SagaStatus.STUCK);
        one.get(Sagas.class).resume("Sums", "told", "without it");
        await().until(() -> view(one, "told").status() == SagaStatus.ACTIVE);
        assertThat(view(one, "told").blockedOn()).hasSize(1);
        await().until(() -> one.get(SagaSupervision.class).blocked().equals(Map.of("Sums", 1L)));
    }

    private void sendUnreadable(String id) {
        WireMessage message = new WireMessage(
                UUID.randomUUID().toString(), id, "Add", "desk", 0L, "application/json", null, Map.of(), new byte[] {'{'
                });
        new MemoryTransport(broker, TopologyOptions.defaults())
                .send(
                        new OutboundMessage(message, new Route.ToQueue(node + "-Add"), Duration.ZERO),
                        Deadline.after(Duration.ofSeconds(5), timeline))
                .join();
    }
}
