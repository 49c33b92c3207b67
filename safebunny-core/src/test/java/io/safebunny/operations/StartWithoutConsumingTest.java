// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Instance;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.breaker.BreakerSettings;
import io.safebunny.breaker.CircuitBreakers;
import io.safebunny.breaker.TypeBreaker;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
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
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import io.safebunny.transport.Transport;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Instances of one node that start without consuming, beside others and beside the pauses in their store; in virtual time. */
class StartWithoutConsumingTest {

    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
    private static final String ORDER = "OrderPlaced";
    private static final String REFUND = "RefundAsked";
    private static final String BESIDE = "dead letters";

    private static final List<HandlerDefinition> HANDLED = List.of(new HandlerDefinition(
            "test",
            ORDER,
            OrderPlaced.class,
            List.of("shop"),
            10,
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
            (payload, context) -> {}));

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final MemoryBroker broker = new MemoryBroker(timeline, task -> {
        throw new AssertionError("no message is delivered here");
    });
    private final UnreliableStore store = new UnreliableStore(new MemoryMessageStore(timeline, Duration.ofDays(7)));

    private record OrderPlaced() {}

    private record RefundAsked() {}

    /** One instance, with the paces of what it consumes. */
    private final class One {
        final CircuitBreakers breakers = new CircuitBreakers(
                new BreakerSettings(50, 10, 10, Duration.ofSeconds(30), 1), timeline, Runnable::run);
        final NodeOperations operations;
        final Map<String, Pace> paces = new HashMap<>();

        One(MessageStore own, boolean autoStartup) {
            Transport transport = new MemoryTransport(broker, TopologyOptions.defaults());
            operations = new NodeOperations(
                    new Node(SafeBunnyParts.builder(
                                    SafeBunnyOptions.of("billing").withAutoStartup(autoStartup), transport, timeline)
                            .store(own)
                            .breakers(breakers)
                            .callbacks(Runnable::run)
                            .build()),
                    "",
                    true);
            operations.startConsuming(HANDLED);
            consume(ORDER, OrderPlaced.class);
            consume(REFUND, RefundAsked.class);
            paces.put(BESIDE, operations.holdsOtherQueues() ? Pace.PAUSED : Pace.FULL);
            operations.opened(paced(BESIDE));
        }

        private void consume(String type, Class<?> payload) {
            TypeBreaker breaker =
                    breakers.add(type, payload, new Metrics(new SimpleMeterRegistry()), ExceptionDetails.FULL);
            paces.put(type, operations.holds(type) ? Pace.PAUSED : Pace.FULL);
            breaker.paces(paced(type));
        }

        private Consumption paced(String name) {
            return new Consumption() {
                @Override
                public void pace(Pace pace) {
                    paces.put(name, pace);
                }

                @Override
                public CompletableFuture<Void> stop() {
                    return CompletableFuture.completedFuture(null);
                }
            };
        }

        List<String> notStarted() {
            return breakers.statuses().values().stream()
                    .filter(status -> String.valueOf(status.reason()).startsWith("not started"))
                    .map(Status::type)
                    .toList();
        }

        Pace orders() {
            return Objects.requireNonNull(paces.get(ORDER));
        }

        Result resume(Scope scope) {
            return operations.resume(ORDER, scope, "checked", "ann");
        }

        void pause() {
            operations.pause(ORDER, TEN_MINUTES, Scope.NODE, "gateway", "ann");
        }
    }

    private One start() {
        return new One(store, false);
    }

    @Test
    void consumesNothingAndSaysWhatWaits() {
        One one = start();

        timeline.advance(Duration.ofDays(1));

        assertThat(one.paces).containsOnlyKeys(ORDER, REFUND, BESIDE);
        assertThat(one.paces.values()).containsOnly(Pace.PAUSED);
        assertThat(one.notStarted()).containsExactly(ORDER, REFUND);
        assertThat(one.breakers.states()).containsEntry(ORDER, State.OPEN);
        assertThat(one.operations.paused()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Scope.class)
    void beginsWithTheTypeThatIsResumedAndWithWhatIsNobodysType(Scope scope) {
        One one = start();

        Result result = one.resume(scope);

        assertThat(result.instances()).containsExactly(new Instance(one.operations.instance(), true));
        assertThat(result.note()).isEmpty();
        assertThat(one.paces).isEqualTo(Map.of(ORDER, Pace.FULL, REFUND, Pace.PAUSED, BESIDE, Pace.FULL));
        assertThat(one.notStarted()).containsExactly(REFUND);
    }

    @Test
    void resumedForTheNodeAllBeginAndForOneInstanceOnlyThatOne() {
        List<One> all = List.of(start(), start(), start());

        all.get(0).resume(Scope.INSTANCE);
        assertThat(all).extracting(One::orders).containsExactly(Pace.FULL, Pace.PAUSED, Pace.PAUSED);

        Result result = all.get(1).resume(Scope.NODE);
        assertThat(all).extracting(One::orders).containsOnly(Pace.FULL);
        assertThat(result.instances()).hasSize(3).allMatch(Instance::applied);
    }

    @Test
    void whatWasResumedBeforeItStartedStartsNothing() {
        One earlier = start();
        earlier.resume(Scope.NODE);

        One later = start();
        timeline.advance(Duration.ofMinutes(1));
        assertThat(later.orders()).isEqualTo(Pace.PAUSED);

        earlier.operations.resume(REFUND, Scope.NODE, "another type", "ann");
        assertThat(later.orders()).isEqualTo(Pace.PAUSED);
        assertThat(later.paces).containsEntry(REFUND, Pace.FULL);
    }

    @Test
    void theEndOfAPauseStartsNothing() {
        One running = new One(store, true);
        running.pause();
        One one = start();

        timeline.advance(TEN_MINUTES.plusSeconds(10));

        assertThat(running.orders()).isEqualTo(Pace.FULL);
        assertThat(one.orders()).isEqualTo(Pace.PAUSED);
        assertThat(one.notStarted()).contains(ORDER);
    }

    @Test
    void aPauseThatIsNoLongerInTheStoreStartsNothing() {
        AtomicReference<MessageStore> present = new AtomicReference<>(store);
        One one = new One(
                (MessageStore) Proxy.newProxyInstance(
                        MessageStore.class.getClassLoader(),
                        new Class<?>[] {MessageStore.class},
                        (proxy, method, arguments) -> method.invoke(present.get(), arguments)),
                false);
        one.pause();

        present.set(new MemoryMessageStore(timeline, Duration.ofDays(7)));
        timeline.advance(Duration.ofMinutes(1));

        assertThat(one.operations.paused()).isEmpty();
        assertThat(one.orders()).isEqualTo(Pace.PAUSED);
    }

    @Test
    void oneThatBegunIsPausedAndGoesOnAsAnyOther() {
        One one = start();
        one.resume(Scope.NODE);

        one.pause();
        assertThat(one.orders()).isEqualTo(Pace.PAUSED);
        assertThat(one.notStarted()).doesNotContain(ORDER);

        timeline.advance(TEN_MINUTES.plusSeconds(10));
        assertThat(one.orders()).isEqualTo(Pace.FULL);
    }

    @Test
    void resumingEndsThePauseOfTheStoreAndBegins() {
        One running = new One(store, true);
        running.pause();
        One one = start();
        assertThat(one.operations.paused()).hasSize(1);

        running.resume(Scope.NODE);

        assertThat(one.orders()).isEqualTo(Pace.FULL);
        assertThat(one.operations.paused()).isEmpty();
    }

    @Test
    void breakersOfTypesThatHaveNotBegunAreNotClosedByTheApplication() {
        One one = start();

        one.breakers.open(Duration.ofMinutes(1));
        one.breakers.close();
        timeline.advance(Duration.ofMinutes(2));

        assertThat(one.orders()).isEqualTo(Pace.PAUSED);
    }

    @Test
    void asLongAsTheStoreDoesNotAnswerTheOneThatIsAskedBegins() {
        store.down(true);
        One asked = start();
        One other = start();

        Result result = asked.resume(Scope.NODE);

        assertThat(asked.orders()).isEqualTo(Pace.FULL);
        assertThat(other.orders()).isEqualTo(Pace.PAUSED);
        assertThat(result.note()).contains("concerns this instance only");
    }

    @Test
    void anInstanceThatCouldNotReadTheStoreBeforeSaysThatItHasNotBegun() {
        One asked = start();
        store.down(true);
        One blind = start();
        store.down(false);

        Result result = asked.resume(Scope.NODE);

        assertThat(blind.orders()).isEqualTo(Pace.PAUSED);
        assertThat(result.instances()).contains(new Instance(blind.operations.instance(), false));
    }

    @Test
    void itsOwnFirstWordToTheStoreBegins() {
        store.down(true);
        One one = start();
        store.down(false);

        Result result = one.resume(Scope.NODE);

        assertThat(result.stored()).isTrue();
        assertThat(one.orders()).isEqualTo(Pace.FULL);
    }
}
