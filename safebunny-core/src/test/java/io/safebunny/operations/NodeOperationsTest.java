// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyOperations.Instance;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.ThrottledException;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.doubles.ForwardingTimeline;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.UnreliableStore;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.node.Node;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.observation.Metrics;
import io.safebunny.store.MessageStore;
import io.safebunny.time.Timeline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfNode;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Pace;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several instances of one node, in virtual time. */
class NodeOperationsTest {

    private static final String TYPE = "OrderPlaced";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    private static final List<HandlerDefinition> HANDLED = List.of(new HandlerDefinition(
            "test",
            TYPE,
            OrderPlaced.class,
            List.of("shop"),
            10,
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
            (payload, context) -> {}));

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, task -> {
        throw new AssertionError("no message is delivered here");
    });
    private final MessageStore store = new MemoryMessageStore(timeline, Duration.ofDays(7));
    private final List<One> instances = new ArrayList<>();

    /** One instance, with the pace of its consumption. */
    private final class One implements Consumption {
        final CircuitBreakers breakers = new CircuitBreakers(
                new BreakerSettings(50, 10, 10, Duration.ofSeconds(30), 1), timeline, Runnable::run);
        final MemoryTransport transport = new MemoryTransport(broker, TopologyOptions.defaults());
        final NodeOperations operations;
        final TypeBreaker breaker;
        Pace pace = Pace.FULL;

        One(@Nullable MessageStore own, boolean durable) {
            this(own, durable, timeline);
        }

        One(@Nullable MessageStore own, boolean durable, Timeline clock) {
            this(own, durable, clock, HANDLED);
        }

        One(@Nullable MessageStore own, boolean durable, Timeline clock, List<HandlerDefinition> handlers) {
            operations = new NodeOperations(
                    new Node(SafeBunnyParts.builder(
                                    SafeBunnyOptions.of("billing").withLease(LEASE), transport, clock)
                            .store(own)
                            .breakers(breakers)
                            .callbacks(Runnable::run)
                            .build()),
                    "host",
                    durable);
            operations.startConsuming(handlers);
            breaker = breakers.add(
                    TYPE, OrderPlaced.class, new Metrics(new SimpleMeterRegistry()), ExceptionDetails.FULL);
            operations.holds(TYPE);
            breaker.paces(this);
        }

        @Override
        public void pace(Pace other) {
            pace = other;
        }

        @Override
        public CompletableFuture<Void> stop() {
            return CompletableFuture.completedFuture(null);
        }

        void end() {
            operations.stopConsuming();
            breakers.stop();
            transport.close();
        }

        /** Without a word to the others. */
        void die() {
            transport.close();
        }
    }

    private One start(@Nullable MessageStore own) {
        One one = new One(own, true);
        instances.add(one);
        return one;
    }

    /** With a wall clock that differs. */
    private One startWithClock(Duration ahead) {
        One one = new One(store, true, new ForwardingTimeline(timeline) {
            @Override
            public Instant now() {
                return super.now().plus(ahead);
            }
        });
        instances.add(one);
        return one;
    }

    private void startThree() {
        for (int i = 0; i < 3; i++) {
            start(store);
        }
    }

    private List<Pace> paces() {
        return instances.stream().map(one -> one.pace).toList();
    }

    private Result pause(One asked) {
        return asked.operations.pause(TYPE, TEN_MINUTES, Scope.NODE, "provider is down", "ann");
    }

    @Test
    void oneRequestPausesAllAndEachSaysSoWithinASecond() {
        startThree();
        Duration before = timeline.elapsed();

        Result result = pause(instances.get(1));

        assertThat(result.instances())
                .containsExactlyInAnyOrderElementsOf(instances.stream()
                        .map(one -> new Instance(one.operations.instance(), true))
                        .toList());
        assertThat(timeline.elapsed().minus(before)).isLessThan(Duration.ofSeconds(1));
        assertThat(result.stored()).isTrue();
        assertThat(result.note()).isEmpty();
        assertThat(paces()).containsOnly(Pace.PAUSED);
        assertThat(instances).allSatisfy(one -> assertThat(one.operations.paused())
                .containsExactly(new Pause(
                        TYPE,
                        VirtualTimeline.START,
                        VirtualTimeline.START.plus(TEN_MINUTES),
                        Scope.NODE,
                        "provider is down",
                        "ann")));
    }

    @Test
    void expiresByItself() {
        startThree();
        timeline.advance(Duration.ofSeconds(1)); // they have just read the store
        Result unused = pause(instances.get(0));

        timeline.advance(TEN_MINUTES.minusMillis(1));
        assertThat(paces()).containsOnly(Pace.PAUSED);
        timeline.advance(Duration.ofMillis(1));

        assertThat(paces()).containsOnly(Pace.FULL);
        assertThat(instances)
                .allSatisfy(one -> assertThat(one.operations.paused()).isEmpty());
        timeline.advance(LEASE.multipliedBy(2));
        assertThat(paces()).containsOnly(Pace.FULL);
    }

    @Test
    void isResumedEverywhereByAnother() {
        startThree();
        Result unused = pause(instances.get(0));

        Result result = instances.get(2).operations.resume(TYPE, Scope.NODE, "is back", "bob");

        assertThat(result.instances()).hasSize(3).allMatch(Instance::applied);
        assertThat(paces()).containsOnly(Pace.FULL);
        assertThat(start(store).pace).isEqualTo(Pace.FULL);
        timeline.advance(LEASE.multipliedBy(2));
        assertThat(paces()).containsOnly(Pace.FULL);
    }

    @Test
    void aRestartedInstanceStaysPausedForTheRest() {
        startThree();
        Result unused = pause(instances.get(0));
        instances.get(2).end();
        timeline.advance(Duration.ofMinutes(4));

        One restarted = start(store);

        assertThat(restarted.pace).isEqualTo(Pace.PAUSED);
        assertThat(restarted.breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
        timeline.advance(Duration.ofMinutes(6));
        assertThat(restarted.pace).isEqualTo(Pace.FULL);
    }

    @Test
    void neitherProbesNorFailuresNorTheApplicationEndThePause() {
        startThree();
        One one = instances.get(0);
        TypeBreaker.Admission before = Objects.requireNonNull(one.breaker.admit());
        Result unused = pause(one);

        before.ended(new Returned(
                null,
                new ThrottledException(Duration.ofSeconds(1)),
                new BreakerEffect.Pause(Duration.ofSeconds(1), "throttled")));
        timeline.advance(Duration.ofSeconds(2)); // half-open beneath
        assertThat(one.breaker.admit()).isNull();
        assertThat(one.pace).isEqualTo(Pace.PAUSED);
        before.ended(Ending.HANDLED);
        one.breakers.close(OrderPlaced.class);

        assertThat(one.breaker.admit()).isNull();
        assertThat(one.pace).isEqualTo(Pace.PAUSED);
        assertThat(one.breakers.states()).containsEntry(TYPE, State.OPEN);
    }

    @Test
    void whenThePauseIsOverAnotherReasonStillCounts() {
        startThree();
        One one = instances.get(0);
        Result unused = pause(one);
        one.breakers.open(OrderPlaced.class, Duration.ofMinutes(20));

        assertThat(one.operations.resume(TYPE, Scope.NODE, "is back", "bob").instances())
                .isNotEmpty();

        assertThat(paces()).containsExactly(Pace.PAUSED, Pace.FULL, Pace.FULL);
        assertThat(one.breakers.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }

    @Test
    void whoDiedIsNamedUntilItIsForgottenAndWhoStoppedIsNot() {
        startThree();
        instances.get(1).die();
        instances.get(2).end();
        Duration before = timeline.elapsed();

        Result result = pause(instances.get(0));

        assertThat(result.instances())
                .containsExactly(
                        new Instance(instances.get(0).operations.instance(), true),
                        new Instance(instances.get(1).operations.instance(), false));
        assertThat(timeline.elapsed().minus(before)).isEqualTo(Duration.ofSeconds(1));
        timeline.advance(LEASE.multipliedBy(4));
        assertThat(pause(instances.get(0)).instances()).hasSize(1);
    }

    @Test
    void whoWasNotReachedReadsItWithinSeconds() {
        One asked = start(store);
        asked.transport.close();
        One away = start(store);

        Result result = pause(asked);
        assertThat(result.instances()).hasSize(1);
        assertThat(result.note()).contains("cannot be reached", "read the store within 5 s");
        assertThat(away.pace).isEqualTo(Pace.FULL);
        timeline.advance(SharedPauses.INTERVAL);

        assertThat(away.pace).isEqualTo(Pace.PAUSED);
    }

    @Test
    void whoWasNotReachedReadsNoStoreOfAnotherProcess() {
        One asked = new One(store, false);
        instances.add(asked);
        asked.transport.close();

        assertThat(pause(asked).note()).contains("cannot be reached").doesNotContain("read the store");
    }

    @Test
    void theStoreAndNoClockDecidesWhichOperationIsTheLater() {
        One first = start(store);
        One late = startWithClock(Duration.ofHours(-2));
        Result unused = pause(first);

        assertThat(late.operations.resume(TYPE, Scope.NODE, "is back", "bob").instances())
                .hasSize(2)
                .allMatch(Instance::applied);

        assertThat(paces()).containsOnly(Pace.FULL);
        timeline.advance(LEASE);
        assertThat(paces()).containsOnly(Pace.FULL);
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 2})
    void anInstanceThatRunsPausesForTheWholeTimeButSecondsWhateverItsClockSays(int hours) {
        One asked = start(store);
        One told = startWithClock(Duration.ofHours(hours));
        One read = startWithClock(Duration.ofHours(hours));
        read.transport.close(); // so that it only reads, some seconds later
        timeline.advance(Duration.ofSeconds(1)); // they have just read the store
        Result unused = pause(asked);
        timeline.advance(SharedPauses.INTERVAL);
        assertThat(paces()).containsOnly(Pace.PAUSED);

        timeline.advance(TEN_MINUTES.minus(SharedPauses.INTERVAL.multipliedBy(3)));
        assertThat(paces()).containsOnly(Pace.PAUSED);
        timeline.advance(SharedPauses.INTERVAL.multipliedBy(3));
        assertThat(List.of(asked.pace, told.pace, read.pace)).containsOnly(Pace.FULL);
    }

    @Test
    void whatIsDeletedFromTheStoreEndsEverywhere() {
        AtomicReference<MessageStore> present = new AtomicReference<>(store);
        MessageStore swapped = (MessageStore) Proxy.newProxyInstance(
                MessageStore.class.getClassLoader(),
                new Class<?>[] {MessageStore.class},
                (proxy, method, arguments) -> method.invoke(present.get(), arguments));
        start(swapped);
        start(swapped);
        Result unused = pause(instances.get(0));

        MessageStore replica = new MemoryMessageStore(timeline, Duration.ofDays(7));
        present.set(replica);
        timeline.advance(SharedPauses.INTERVAL);
        assertThat(paces()).as("a replica may be behind").containsOnly(Pace.PAUSED);
        timeline.advance(SharedPauses.INTERVAL);

        assertThat(paces()).containsOnly(Pace.FULL);
        assertThat(pause(instances.get(1)).instances()).hasSize(2).allMatch(Instance::applied);
    }

    @Test
    void aForgedWordChangesNothingAndAFloodCostsTenReadsASecond() {
        startThree();
        UnreliableStore counted = new UnreliableStore(store);
        One one = start(counted);
        int before = counted.finds();
        long sequence = Long.MAX_VALUE;
        for (int i = 0; i < 5_000; i++) {
            told("{\"kind\":\"READ\",\"from\":\"forged\\n2026 ERROR\",\"operation\":\"op-%d\"}".formatted(i));
            told(
                    ("{\"kind\":\"ORDER\",\"from\":\"forged\",\"operation\":\"op\",\"type\":\"OrderPlaced\",\"sequence\":%d,\"at\":1,"
                                    + "\"millis\":60000,\"reason\":\"r\",\"by\":\"b\"}")
                            .formatted(sequence));
        }
        timeline.advance(Duration.ofSeconds(1));

        assertThat(paces()).containsOnly(Pace.FULL);
        assertThat(counted.finds() - before).isLessThanOrEqualTo(11);
        assertThat(pause(one).instances())
                .filteredOn(Instance::applied)
                .extracting(Instance::id)
                .containsExactlyInAnyOrderElementsOf(instances.stream()
                        .map(each -> each.operations.instance())
                        .toList());
        assertThat(one.operations.pause(TYPE, TEN_MINUTES, Scope.NODE, "r", "b").instances())
                .extracting(Instance::id)
                .noneMatch(id -> id.contains("\n"));
    }

    @Test
    void aHintThatIsToldToEveryoneIsNone() {
        UnreliableStore counted = new UnreliableStore(store);
        One one = start(counted);
        One other = start(store);
        told(
                "{\"kind\":\"BYE\",\"from\":\"%s\",\"node\":\"billing\"}".formatted(other.operations.instance()),
                new Everyone());
        int before = counted.finds();
        for (String kind : List.of("HELLO", "HERE", "READ", "ANSWER")) {
            told(
                    "{\"kind\":\"%s\",\"from\":\"%s\",\"node\":\"billing\",\"operation\":\"op-1\",\"applied\":true}"
                            .formatted(kind, "forged"),
                    new Everyone());
        }
        timeline.advance(Duration.ofSeconds(1));

        assertThat(counted.finds()).isEqualTo(before);
        assertThat(pause(one).instances())
                .containsExactlyInAnyOrder(
                        new Instance(one.operations.instance(), true), new Instance(other.operations.instance(), true));
    }

    /** Such as web instances beside workers, which only publish. */
    @Test
    void anInstanceThatHandlesNothingTakesNoPartInPauses() {
        UnreliableStore counted = new UnreliableStore(store);
        List<String> told = new ArrayList<>();
        ControlChannel unused = new MemoryTransport(broker, TopologyOptions.defaults())
                .control(Map.of(
                        new OfNode("billing"), message -> told.add(new String(message, StandardCharsets.UTF_8))));
        One web = new One(counted, true, timeline, List.of());
        told("{\"kind\":\"READ\",\"from\":\"forged\",\"operation\":\"op-1\"}");
        told("{\"kind\":\"HELLO\",\"from\":\"forged\"}");
        timeline.advance(Duration.ofMinutes(1));
        web.end();

        assertThat(counted.finds()).isZero();
        assertThat(told).hasSize(2).allMatch(text -> text.contains("forged"));

        One worker = start(store);
        One other = new One(counted, true, timeline, List.of());
        assertThat(pause(worker).instances()).containsExactly(new Instance(worker.operations.instance(), true));
        other.end();
    }

    /** It may drain for as long as its handlers take, and takes part in no pause any more. */
    @Test
    void anInstanceThatStopsGreetsNobody() {
        List<String> told = new ArrayList<>();
        ControlChannel unused = new MemoryTransport(broker, TopologyOptions.defaults())
                .control(Map.of(
                        new OfNode("billing"), message -> told.add(new String(message, StandardCharsets.UTF_8))));
        start(store).operations.stopConsuming();
        assertThat(told).last().asString().contains("BYE");

        told("{\"kind\":\"HELLO\",\"from\":\"forged\"}");
        timeline.advance(LEASE.multipliedBy(2));

        assertThat(told).last().asString().contains("forged");
    }

    /** In a later version, names of nodes may be others. */
    @Test
    void aHintCountsWhateverItSaysOfItsNode() {
        One one = start(store);
        told("{\"kind\":\"HERE\",\"from\":\"later\",\"node\":\"BILLING IN UPPER CASE\"}");

        assertThat(pause(one).instances()).extracting(Instance::id).contains("later");
    }

    private void told(String text) {
        told(text, new OfNode("billing"));
    }

    private void told(String text, ControlAddress to) {
        CompletableFuture<Void> unused = new MemoryTransport(broker, TopologyOptions.defaults())
                .control(Map.of())
                .tell(to, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void oneInstanceAloneTellsAndStoresNothing() {
        startThree();

        Result result = instances.get(0).operations.pause(TYPE, TEN_MINUTES, Scope.INSTANCE, "look at it", "ann");

        assertThat(result.instances())
                .containsExactly(new Instance(instances.get(0).operations.instance(), true));
        assertThat(result.stored()).isFalse();
        timeline.advance(LEASE.multipliedBy(2));
        assertThat(paces()).containsExactly(Pace.PAUSED, Pace.FULL, Pace.FULL);
    }

    @Test
    void withoutAStoreEachInstanceIsAskedForItself() {
        One asked = start(null);
        One other = start(null);

        assertThat(pause(asked))
                .satisfies(result -> assertThat(result.stored()).isFalse())
                .satisfies(result -> assertThat(result.note()).contains("no store", "this instance only"))
                .satisfies(result -> assertThat(result.instances())
                        .containsExactly(
                                new Instance(asked.operations.instance(), true),
                                new Instance(other.operations.instance(), false)));

        assertThat(paces()).containsExactly(Pace.PAUSED, Pace.FULL);
        assertThat(asked.operations.paused()).extracting(Pause::scope).containsExactly(Scope.INSTANCE);
    }

    @Test
    void saysThatARestartForgetsItWithAStoreInMemory() {
        One inMemory = new One(store, false);

        assertThat(pause(inMemory))
                .satisfies(result -> assertThat(result.stored()).isFalse())
                .satisfies(result -> assertThat(result.note()).contains("in memory"));
    }

    @Test
    void aStoreThatDoesNotAnswerLeavesItWithTheOneThatIsAskedAndItSaysSo() {
        UnreliableStore silent = new UnreliableStore(store);
        One one = start(silent);
        start(silent);
        silent.down(true);

        Result result = pause(one);

        assertThat(result.instances()).extracting(Instance::applied).containsExactly(true, false);
        assertThat(result.stored()).isFalse();
        assertThat(result.note()).contains("does not answer", "this instance only", "repeat it");
        timeline.advance(LEASE);
        assertThat(paces()).containsExactly(Pace.PAUSED, Pace.FULL);
        silent.down(false);
        timeline.advance(SharedPauses.INTERVAL);
        assertThat(paces()).containsExactly(Pace.PAUSED, Pace.FULL);
        assertThat(pause(one).instances()).hasSize(2).allMatch(Instance::applied);
    }

    @Test
    void whatIsPausedStaysSoWhileTheStoreIsAway() {
        UnreliableStore silent = new UnreliableStore(store);
        start(silent);
        One asked = start(silent);
        timeline.advance(Duration.ofSeconds(1)); // they have just read the store
        Result unused = pause(asked);
        silent.down(true);

        timeline.advance(TEN_MINUTES.minusMillis(1));
        assertThat(paces()).containsOnly(Pace.PAUSED);
        timeline.advance(Duration.ofMillis(1));
        assertThat(paces()).containsOnly(Pace.FULL);
    }

    @Test
    void ignoresWhatIsNoWord() {
        startThree();
        for (String text : List.of(
                "",
                "{",
                "[]",
                "{\"kind\":\"ORDER\"}",
                "{\"kind\":\"ORDER\",\"from\":\"x\",\"operation\":\"op\",\"type\":\"OrderPlaced\",\"millis\":-1,\"reason\":\"r\",\"by\":\"b\"}",
                "x".repeat(20_000))) {
            CompletableFuture<Void> unused = new MemoryTransport(broker, TopologyOptions.defaults())
                    .control(Map.of())
                    .tell(new OfNode("billing"), text.getBytes(StandardCharsets.UTF_8));
        }

        assertThat(paces()).containsOnly(Pace.FULL);
        assertThat(pause(instances.get(0)).instances()).hasSize(3);
    }

    @Test
    void refusesWhatCannotBeMeant() {
        NodeOperations operations = start(store).operations;

        assertThatThrownBy(() -> operations.pause("Other", TEN_MINUTES, Scope.NODE, "r", "b"))
                .isInstanceOf(MisuseException.class)
                .hasFieldOrPropertyWithValue("code", MisuseException.TYPE)
                .hasMessageContaining("OrderPlaced");
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
            assertThatThrownBy(() -> operations.pause(TYPE, wrong, Scope.NODE, "r", "b"))
                    .isInstanceOf(MisuseException.class)
                    .hasMessageContaining("1 ms to 365 days");
        }
        for (String wrong : List.of("", "  ", "x".repeat(501))) {
            assertThatThrownBy(() -> operations.pause(TYPE, TEN_MINUTES, Scope.NODE, wrong, "b"))
                    .hasMessageContaining("reason has");
        }
        assertThatThrownBy(() -> operations.resume(TYPE, Scope.NODE, "r", " ")).hasMessageContaining("by has");
        assertThat(operations.paused()).isEmpty();
    }
}
