// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.groups.Tuple.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.Change;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.breaker.TypeBreaker.Admission;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.observation.Metrics;
import io.safebunny.transport.Consumption;
import io.safebunny.transport.Pace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CircuitBreakersTest {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Publication PUBLICATION = new Publication("Ping", "shop-Ping", "id");

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Change> changes = new ArrayList<>();
    private final CircuitBreakers breakers =
            new CircuitBreakers(new BreakerSettings(50, 10, 4, WAIT, 2), timeline, Runnable::run);
    private final Paces orders = new Paces();
    private final Paces payments = new Paces();
    private final TypeBreaker orderBreaker =
            breakers.add("OrderPlaced", OrderPlaced.class, new Metrics(meters), ExceptionDetails.FULL);
    private final TypeBreaker paymentBreaker =
            breakers.add("PaymentCaptured", PaymentCaptured.class, new Metrics(meters), ExceptionDetails.FULL);

    CircuitBreakersTest() {
        orderBreaker.paces(orders);
        paymentBreaker.paces(payments);
        breakers.addListener(changes::add);
    }

    /** Remembers what it was told. */
    private static final class Paces implements Consumption {
        private Pace pace = Pace.PAUSED;

        @Override
        public void pace(Pace told) {
            pace = told;
        }

        @Override
        public CompletableFuture<Void> stop() {
            return CompletableFuture.completedFuture(null);
        }
    }

    private static Ending because(Throwable failure) {
        return new Returned(null, failure, BreakerEffect.of(failure));
    }

    private Admission admit() {
        return Objects.requireNonNull(orderBreaker.admit(), "refused");
    }

    private void succeed(int times) {
        for (int i = 0; i < times; i++) {
            admit().ended(Ending.HANDLED);
        }
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            admit().ended(because(new IllegalStateException("down")));
        }
    }

    private State state() {
        return breakers.state(OrderPlaced.class);
    }

    @Test
    void failuresOfOneSagaDoNotPauseTheLibrarysMessagesOfOthers() {
        TypeBreaker timeouts = breakers.add("BunnyTimeout", String.class, new Metrics(meters), ExceptionDetails.FULL);
        for (int i = 0; i < 100; i++) {
            Objects.requireNonNull(timeouts.admit()).ended(because(new IllegalStateException("down")));
        }

        assertThat(breakers.states()).containsEntry("BunnyTimeout", State.CLOSED);
        assertThat(breakers.statuses().get("BunnyTimeout"))
                .returns(100f, Status::failureRate)
                .extracting(
                        status -> Objects.requireNonNull(status.lastFailure()).text())
                .isEqualTo("down");
        breakers.open(String.class, Duration.ofMinutes(1)); // by hand it can be paused
        assertThat(timeouts.admit()).isNull();
        breakers.close(String.class);
        assertThat(breakers.statuses().get("BunnyTimeout")).returns(null, Status::failureRate);
        for (int i = 0; i < 8; i++) {
            Objects.requireNonNull(timeouts.admit())
                    .ended(i % 2 == 0 ? Ending.HANDLED : because(new IllegalStateException("down")));
        }
        assertThat(breakers.statuses().get("BunnyTimeout")).returns(50f, Status::failureRate);
    }

    @Test
    void keysOfOneSagaThatAreAwayDoNotPauseTheLibrarysMessagesOfOthers() {
        TypeBreaker timeouts = breakers.add("BunnyTimeout", String.class, new Metrics(meters), ExceptionDetails.FULL);
        NotHandledException away = NotHandledException.withoutKeys(new KeysUnavailableException("away", null));
        Objects.requireNonNull(timeouts.admit()).ended(because(away));
        assertThat(breakers.states()).containsEntry("BunnyTimeout", State.CLOSED);

        admit().ended(because(away));
        assertThat(state()).as("of a type with keys of its own").isEqualTo(State.OPEN);
    }

    /** Messages whose keys are remembered are read all the time. */
    @Test
    void keysThatAreStillAwayForSomeMessagesHaveNotComeBack() {
        Ending away = because(NotHandledException.withoutKeys(new KeysUnavailableException("away", null)));
        try (LogLines log = new LogLines("io.safebunny.breaker")) {
            admit().ended(away);
            Instant since = Objects.requireNonNull(withoutKeysSince());
            for (int i = 0; i < 3; i++) {
                timeline.advance(WAIT);
                succeed(1);
                assertThat(state()).isEqualTo(State.CLOSED);
                assertThat(withoutKeysSince()).isNull();
                admit().ended(away);
                assertThat(withoutKeysSince()).isEqualTo(since);
            }
            assertThat(log.texts())
                    .filteredOn(line -> line.contains("CLOSED -> "))
                    .as("warned of once")
                    .hasSize(1);
        }

        timeline.advance(WAIT);
        succeed(1);
        timeline.advance(Duration.ofMinutes(1));
        admit().ended(away);
        assertThat(withoutKeysSince()).isEqualTo(timeline.now());
    }

    private @Nullable Instant withoutKeysSince() {
        return Objects.requireNonNull(breakers.statuses().get("OrderPlaced")).withoutKeysSince();
    }

    /** Handlers may quote a message in their reason. */
    @Test
    void aReasonBeginsNoLineOfTheLog() {
        try (LogLines log = new LogLines("io.safebunny.breaker")) {
            admit().ended(new Returned(
                    null,
                    new IllegalStateException("no customer x\n12:00:00 ERROR forged"),
                    new BreakerEffect.Pause(Duration.ofSeconds(7), "no customer x\n12:00:00 ERROR forged")));

            assertThat(log.texts()).singleElement().asString().contains("x?12:00:00 ERROR forged");
        }
    }

    @Test
    void pausesOneTypeForAWhileThenProbesThenGoesOn() {
        breakers.open(OrderPlaced.class, Duration.ofMinutes(10));

        assertThat(state()).isEqualTo(State.OPEN);
        assertThat(orders.pace).isEqualTo(Pace.PAUSED);
        assertThat(payments.pace).isEqualTo(Pace.FULL);
        assertThat(orderBreaker.admit()).isNull();
        assertThat(paymentBreaker.admit()).isNotNull();

        timeline.advance(Duration.ofMinutes(10).minusMillis(1));
        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(Duration.ofMillis(1));
        assertThat(state()).isEqualTo(State.HALF_OPEN);
        assertThat(orders.pace).isEqualTo(Pace.ONE_BY_ONE);

        succeed(1);
        assertThat(state()).isEqualTo(State.HALF_OPEN);
        succeed(1);
        assertThat(state()).isEqualTo(State.CLOSED);
        assertThat(orders.pace).isEqualTo(Pace.FULL);
        assertThat(changes)
                .extracting(Change::type, Change::from, Change::to)
                .containsExactly(
                        tuple("OrderPlaced", State.CLOSED, State.OPEN),
                        tuple("OrderPlaced", State.OPEN, State.HALF_OPEN),
                        tuple("OrderPlaced", State.HALF_OPEN, State.CLOSED));
    }

    @Test
    void pausesAllTypesAndClosesThemAtOnce() {
        breakers.open(Duration.ofHours(1));

        assertThat(breakers.states())
                .containsOnly(Map.entry("OrderPlaced", State.OPEN), Map.entry("PaymentCaptured", State.OPEN));
        assertThat(meters.get("safebunny.breaker.state")
                        .tag("type", "OrderPlaced")
                        .gauge()
                        .value())
                .isEqualTo(2);

        breakers.close();

        assertThat(breakers.states()).containsValues(State.CLOSED, State.CLOSED);
        assertThat(List.of(orders.pace, payments.pace)).containsOnly(Pace.FULL);
        timeline.advance(Duration.ofHours(2));
        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void takesTheLatestDurationOfTheApplication() {
        breakers.open(OrderPlaced.class, Duration.ofHours(1));
        breakers.open(OrderPlaced.class, Duration.ofMinutes(1));

        timeline.advance(Duration.ofMinutes(1));

        assertThat(state()).isEqualTo(State.HALF_OPEN);
        timeline.advance(Duration.ofHours(2));
        assertThat(state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void isNotShortenedByWhatOpensItByItself() {
        breakers.open(OrderPlaced.class, Duration.ofHours(1));
        Admission late = Objects.requireNonNull(paymentBreaker.admit());
        breakers.open(PaymentCaptured.class, Duration.ofHours(1));

        late.ended(because(new ThrottledException(Duration.ofSeconds(1))));
        timeline.advance(Duration.ofMinutes(59));

        assertThat(breakers.state(PaymentCaptured.class)).isEqualTo(State.OPEN);
    }

    @Test
    void opensAtTheFailureRateAndNotBeforeEnoughMessages() {
        succeed(1);
        fail(2);
        assertThat(state()).isEqualTo(State.CLOSED);

        fail(1);

        assertThat(state()).isEqualTo(State.OPEN);
        assertThat(orders.pace).isEqualTo(Pace.PAUSED);
        assertThat(changes)
                .singleElement()
                .extracting(Change::reason)
                .asString()
                .contains("75.0 %");
        timeline.advance(WAIT);
        assertThat(state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void opensAtTheFailureRateWhenASuccessCompletesTheNumber() {
        fail(2);
        succeed(2);

        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(WAIT);
        succeed(2);
        assertThat(state()).isEqualTo(State.CLOSED);
        fail(1);
        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void opensAgainWhenTheProbesFail() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));

        fail(2);

        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(WAIT.minusMillis(1));
        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(Duration.ofMillis(1));
        assertThat(state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void letsNoMoreThanTheProbesInWhileTheirResultsAreNotKnown() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));

        Admission first = admit();
        assertThat(orders.pace).isEqualTo(Pace.ONE_BY_ONE);
        Admission second = admit();
        assertThat(orders.pace).isEqualTo(Pace.PAUSED);
        assertThat(orderBreaker.admit()).isNull();

        first.ended(because(NotHandledException.later("busy", Duration.ZERO)));
        assertThat(orders.pace).isEqualTo(Pace.ONE_BY_ONE);
        Admission third = admit();
        second.ended(Ending.HANDLED);
        third.ended(Ending.HANDLED);
        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void takesTheHandlersOwnVerdictOnOneMessageForAnAnswer() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));

        admit().ended(because(new PoisonMessageException("its own fault")));
        admit().ended(because(new RetryLaterException(Duration.ofSeconds(1))));

        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void doesNotWaitForProbesThatDoNotReturn() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));
        admit();

        timeline.advance(WAIT);
        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(WAIT);
        assertThat(state()).isEqualTo(State.HALF_OPEN);
        assertThat(orders.pace).isEqualTo(Pace.ONE_BY_ONE);

        succeed(2);
        assertThat(state()).isEqualTo(State.CLOSED);
    }

    /** Else a type whose handlers take longer than the wait would never close. */
    @Test
    void countsProbesThatReturnLate() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));
        Admission first = admit();
        timeline.advance(WAIT.multipliedBy(2));
        Admission second = admit();
        timeline.advance(WAIT);
        assertThat(state()).isEqualTo(State.OPEN);

        first.ended(Ending.HANDLED);
        second.ended(Ending.HANDLED);

        assertThat(state()).isEqualTo(State.CLOSED);
        assertThat(orders.pace).isEqualTo(Pace.FULL);
    }

    @Test
    void staysHalfOpenWhileNothingComes() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));

        timeline.advance(Duration.ofDays(1));

        assertThat(state()).isEqualTo(State.HALF_OPEN);
        assertThat(changes).hasSize(2);
    }

    @Test
    void judgesTheProbesAllTogether() {
        CircuitBreakers strict = new CircuitBreakers(new BreakerSettings(50, 1, 1, WAIT, 3), timeline, Runnable::run);
        TypeBreaker breaker = strict.add("OrderPlaced", OrderPlaced.class, new Metrics(meters), ExceptionDetails.FULL);
        strict.open(Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));

        Objects.requireNonNull(breaker.admit()).ended(Ending.HANDLED);
        assertThat(strict.state(OrderPlaced.class)).isEqualTo(State.HALF_OPEN);
        Objects.requireNonNull(breaker.admit()).ended(because(new IllegalStateException()));
        Objects.requireNonNull(breaker.admit()).ended(because(new IllegalStateException()));

        assertThat(strict.state(OrderPlaced.class)).isEqualTo(State.OPEN);
    }

    @Test
    void doesNotTakeAnInterruptedPublicationForTrouble() {
        admit().ended(because(PublishTimeoutException.interrupted(PUBLICATION, "the confirm")));

        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void forgetsResultsOfMessagesThatWereLetInBeforeTheBreakerOpened() {
        Admission before = admit();
        Admission another = admit();
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));

        before.ended(Ending.HANDLED);
        another.ended(because(new IllegalStateException()));

        assertThat(state()).isEqualTo(State.HALF_OPEN);
        succeed(2);
        assertThat(state()).isEqualTo(State.CLOSED);
    }

    static List<Throwable> trouble() {
        return List.of(
                new ConnectionLostException(PUBLICATION, "gone", null),
                new PublishTimeoutException(PUBLICATION, WAIT, "confirm"),
                NotHandledException.trouble("store", Duration.ofSeconds(5)));
    }

    @ParameterizedTest
    @MethodSource("trouble")
    void opensAtOnceOnTroubleThatConcernsEveryMessage(Throwable failure) {
        admit().ended(because(failure));

        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(WAIT);
        assertThat(state()).isEqualTo(State.HALF_OPEN);
    }

    @Test
    void opensAsLongAsAThrottledHandlerSays() {
        admit().ended(because(new ThrottledException(Duration.ofSeconds(7))));

        timeline.advance(Duration.ofSeconds(7).minusMillis(1));
        assertThat(state()).isEqualTo(State.OPEN);
        timeline.advance(Duration.ofMillis(1));
        assertThat(state()).isEqualTo(State.HALF_OPEN);
    }

    static List<Throwable> ownFaults() {
        return List.of(
                new PoisonMessageException("poison"),
                new RetryLaterException(Duration.ZERO),
                new InvalidMessageException(PoisonReason.HANDLER_FAILED, "another message has its id"),
                NotHandledException.later("busy", Duration.ZERO));
    }

    @ParameterizedTest
    @MethodSource("ownFaults")
    void doesNotCountFailuresThatConcernOneMessage(Throwable failure) {
        for (int i = 0; i < 100; i++) {
            admit().ended(because(failure));
        }

        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void takesAMessageThatIsSetAsideForNoProbe() {
        breakers.open(OrderPlaced.class, Duration.ofSeconds(1));
        timeline.advance(Duration.ofSeconds(1));
        for (int i = 0; i < 10; i++) {
            admit().ended(because(new InvalidMessageException(PoisonReason.RETRIES_EXHAUSTED, "a leftover copy")));
        }

        assertThat(state()).isEqualTo(State.HALF_OPEN);
        assertThat(orders.pace).isEqualTo(Pace.ONE_BY_ONE);
        succeed(2);
        assertThat(state()).isEqualTo(State.CLOSED);
    }

    @Test
    void countsARefusalOfThePublicationsAsFailure() {
        for (int i = 0; i < 4; i++) {
            admit().ended(because(new NackedException(PUBLICATION, "full")));
        }

        assertThat(state()).isEqualTo(State.OPEN);
    }

    @Test
    void canDoWithoutTheFailureRate() {
        CircuitBreakers never = new CircuitBreakers(new BreakerSettings(0, 10, 4, WAIT, 2), timeline, Runnable::run);
        TypeBreaker breaker = never.add("OrderPlaced", OrderPlaced.class, new Metrics(meters), ExceptionDetails.FULL);

        for (int i = 0; i < 100; i++) {
            Objects.requireNonNull(breaker.admit()).ended(because(new IllegalStateException()));
        }

        assertThat(never.state(OrderPlaced.class)).isEqualTo(State.CLOSED);
    }

    @Test
    void tellsAConsumptionThatComesLaterItsPace() {
        breakers.open(Duration.ofHours(1));
        Paces later = new Paces();
        later.pace = Pace.FULL;

        orderBreaker.paces(later);

        assertThat(later.pace).isEqualTo(Pace.PAUSED);
    }

    @Test
    void changesNothingAfterItStopped() {
        breakers.open(Duration.ofSeconds(1));

        breakers.stop();
        timeline.advance(Duration.ofHours(1));

        assertThat(orders.pace).isEqualTo(Pace.PAUSED);
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> breakers.open(String.class, WAIT))
                .withMessageStartingWith("SB-5002 ")
                .withMessageContaining("java.lang.String")
                .withMessageContaining("OrderPlaced");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> breakers.open(Duration.ZERO))
                .withMessageStartingWith("SB-5001 ")
                .withMessageContaining("PT0S");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> breakers.open(OrderPlaced.class, Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("SB-5001 ");
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> new CircuitBreakers(BreakerSettings.defaults(), timeline, Runnable::run).open(WAIT));
    }

    @Test
    void tellsLaterWhenThereIsNoThreadNow() {
        boolean[] threads = {false};
        CircuitBreakers starved = new CircuitBreakers(BreakerSettings.defaults(), timeline, task -> {
            if (!threads[0]) {
                throw new OutOfMemoryError("no thread (simulated)");
            }
            task.run();
        });
        starved.add("OrderPlaced", OrderPlaced.class, new Metrics(meters), ExceptionDetails.FULL);
        starved.addListener(changes::add);
        starved.open(WAIT);
        assertThat(changes).isEmpty();

        threads[0] = true;
        timeline.advance(Duration.ofSeconds(1));

        assertThat(changes).extracting(Change::to).containsExactly(State.OPEN);
    }

    @Test
    void goesOnWhenAListenerFails() {
        List<Change> after = new ArrayList<>();
        breakers.addListener(change -> {
            throw new NoClassDefFoundError("listener");
        });
        breakers.addListener(after::add);

        breakers.open(OrderPlaced.class, WAIT);
        breakers.close(OrderPlaced.class);

        assertThat(after).hasSize(2);
    }
}
