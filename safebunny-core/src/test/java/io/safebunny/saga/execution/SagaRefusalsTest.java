// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyHandler;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Starts;
import io.safebunny.saga.document.SagaStates;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a saga is asked for that it cannot do, and odd data. */
class SagaRefusalsTest {

    record Begin(@Nullable String key, String text) {}

    record Next(String text) {}

    record State(String text) {}

    @BunnySaga
    static class Keyed {
        BiFunction<String, SagaContext, State> action = (text, saga) -> new State(text);

        @Starts
        @CorrelatedBy("key")
        @BunnyHandler(from = "storefront")
        State on(Begin begin, SagaContext saga) {
            return action.apply(begin.text(), saga);
        }

        @BunnyHandler(from = "storefront")
        void on(Next next) {
            throw new PoisonMessageException("as the test wants");
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.complete();
        }
    }

    @BunnySaga(name = "Keyed")
    static class Without {
        @Starts
        @CorrelatedBy("key")
        @BunnyHandler(from = "storefront")
        State on(Begin begin) {
            return new State(begin.text());
        }
    }

    private final SagaWorld world = new SagaWorld();
    private final Keyed keyed = new Keyed();

    private void start() {
        world.start("storefront", List.of());
        world.start("orders", List.of(), keyed);
    }

    private void begin(@Nullable String key, String text) {
        var unused = world.bunny("storefront").publish(new Begin(key, text), PublishOptions.none());
        world.pass(Duration.ofMinutes(1));
    }

    private String reason() {
        List<WireMessage> poison = world.poison("orders");
        assertThat(poison).hasSize(1);
        return poison.get(0).headers().get("sb-poison-reason") + " "
                + poison.get(0).headers().get("x-exception-message");
    }

    @Test
    void needsAStore() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> world.start("orders", (MessageStore) null, List.of(), keyed))
                .withMessageStartingWith("SB-1108")
                .withMessageContaining("safebunny.store.type to jdbc");
    }

    @Test
    void aTimeoutWhoseMethodIsGoneWaitsForAnInstanceThatHasItAndThenSticksTheSaga() {
        MemoryMessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
        keyed.action = (text, saga) -> {
            saga.timeout("late", Duration.ofMinutes(5));
            return new State(text);
        };
        world.start("storefront", List.of());
        world.start("orders", store, List.of(), keyed);
        begin("k", "x");
        world.stop("orders");
        world.start("orders", store, List.of(), new Without());

        world.pass(Duration.ofMinutes(10));
        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.ACTIVE);
        assertThat(world.poison("orders")).isEmpty();
        world.pass(Duration.ofMinutes(15));

        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.STUCK);
        assertThat(world.poison("orders").get(0).headers())
                .containsEntry("sb-poison-reason", "handler-failed")
                .hasEntrySatisfying("x-exception-message", text -> assertThat(text.toString())
                        .contains("SB-5012", "@OnTimeout(\"late\"), only for none"));
    }

    @Test
    void aTimeoutThatGoesOnWithItsSagaWaitsAsLongForAnInstanceThatHasItsMethod() {
        MemoryMessageStore store = new MemoryMessageStore(world.timeline, Duration.ofDays(7));
        keyed.action = (text, saga) -> {
            saga.timeout("late", Duration.ofMinutes(5));
            return new State(text);
        };
        world.start("storefront", List.of());
        world.start("orders", store, List.of(), keyed);
        begin("k", "x");
        var unused = world.bunny("storefront")
                .publish(new Next("y"), PublishOptions.none().withCorrelationId("k"));
        world.settle();
        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.STUCK);
        world.pass(Duration.ofHours(1));
        world.stop("orders");
        world.start("orders", store, List.of(), new Without());

        world.sagas("orders").resume("Keyed", "k", "mended");
        world.pass(Duration.ofMinutes(10));
        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.ACTIVE);
        world.pass(Duration.ofMinutes(10));

        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.STUCK);
    }

    @Test
    void itsIdMayBeSixtyFourOddCharacters() {
        start();
        String odd = "A.b_c:d-".repeat(8);
        begin(odd, "x");

        assertThat(world.saga("orders", odd).state()).isEqualTo("{\"text\":\"x\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "ä", "x~saga.Keyed"})
    void anIdThatIsNoneIsSetAside(String key) {
        start();
        begin(key, "x");

        assertThat(reason()).startsWith("missing-property").contains("Invalid saga id", "@CorrelatedBy");
    }

    @Test
    void anExpressionThatYieldsNullIsSetAside() {
        start();
        begin(null, "x");

        assertThat(reason()).startsWith("missing-property").contains("id=null");
    }

    @Test
    void aStateThatIsTooLargeIsSetAsideAndPublishesNothing() {
        keyed.action = (text, saga) -> {
            saga.step("next", new Next("n"));
            return new State("x".repeat(SagaStates.LARGEST));
        };
        start();
        begin("k", "x");

        assertThat(reason()).startsWith("too-large").contains("262144");
        assertThat(world.sagas("orders").find("k")).isEmpty();
    }

    @Test
    void aNegativeTimeoutIsRefused() {
        keyed.action = (text, saga) -> {
            saga.timeout("late", Duration.ofMillis(-1));
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(reason()).contains("SB-5012", "negative");
    }

    /** Many an exception has no message. */
    @Test
    @SuppressWarnings("NullAway") // as in an application that does not check
    void aFailureWithoutAReasonIsRefusedAtOnce() {
        keyed.action = (text, saga) -> {
            saga.fail(new IllegalStateException().getMessage());
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(reason()).startsWith("handler-failed").contains("SB-5012", "its reason is null");
    }

    @Test
    void aTimeoutWithoutAMethodIsRefused() {
        keyed.action = (text, saga) -> {
            saga.timeout("never", Duration.ZERO);
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(reason()).startsWith("handler-failed").contains("SB-5012", "@OnTimeout(\"never\"), only for [late]");
    }

    @Test
    void aTimeoutInThePastRunsAtOnce() {
        keyed.action = (text, saga) -> {
            saga.timeoutAt("late", Instant.EPOCH);
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.COMPLETED);
    }

    @Test
    void aTimeoutOfTenYearsWaitsInSteps() {
        world.lease = Duration.ofDays(30); // ten years of sweeps would take long
        keyed.action = (text, saga) -> {
            saga.timeout("late", Duration.ofDays(3650));
            return new State(text);
        };
        start();
        begin("k", "x");

        for (int day = 0; day < 3649; day++) {
            world.timeline.advance(Duration.ofDays(1));
            world.settle();
        }
        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.ACTIVE);
        world.timeline.advance(Duration.ofDays(1));
        world.settle();
        assertThat(world.saga("orders", "k").status()).isEqualTo(SagaStatus.COMPLETED);
        assertThat(world.poison("orders")).isEmpty();
    }

    @Test
    void aTimeoutThatHasRunCannotBeCancelled() {
        boolean[] cancelled = {true};
        keyed.action = (text, saga) -> {
            cancelled[0] = saga.cancelTimeout("late");
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(cancelled[0]).isFalse();
    }

    @Test
    void twoStepsOfOneNameAreRefused() {
        keyed.action = (text, saga) -> {
            saga.step("next", new Next("1"));
            saga.step("next", new Next("2"));
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(reason()).contains("SB-5012", "step [next]");
    }

    @Test
    void publishingBeforeItsEndIsRefused() {
        keyed.action = (text, saga) -> {
            assertThatExceptionOfType(InvalidPublicationException.class)
                    .isThrownBy(() -> world.bunny("orders").publishNow(new Next("1")))
                    .withMessageContaining("publishNow is refused in a saga");
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThat(world.poison("orders")).isEmpty();
    }

    @Test
    void itsContextIsOfNoUseAfterwards() {
        SagaContext[] kept = new SagaContext[1];
        keyed.action = (text, saga) -> {
            kept[0] = saga;
            return new State(text);
        };
        start();
        begin("k", "x");

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> kept[0].complete())
                .withMessageContaining("after its handler has returned");
    }

    @Test
    void repairsAndListsNeedASagaThatThereIs() {
        start();
        begin("k", "text");

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> world.sagas("orders").fail("Keyed", "another", "why"))
                .withMessageContaining("no saga Keyed of that id [another]");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> world.sagas("orders").list("Kyed", null, Duration.ZERO, 10))
                .withMessageContaining("no such saga");
    }

    @Test
    void repairsNeedAReasonAndASagaOfTheNode() {
        start();

        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> world.sagas("orders").fail("Keyed", "k", " "))
                .withMessageContaining("needs a reason");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> world.sagas("orders").fail("Other", "k", "why"))
                .withMessageContaining("no such saga");
    }
}
