// SPDX-License-Identifier: Apache-2.0
package io.safebunny.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.BunnyCircuitBreaker.Failure;
import io.safebunny.BunnyCircuitBreaker.State;
import io.safebunny.BunnyCircuitBreaker.Status;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PoisonMessageException;
import io.safebunny.ThrottledException;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.UnknownSagaException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.observation.Metrics;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is told of a breaker, in each of its states. */
class BreakerStatusTest {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final String TYPE = "OrderPlaced";

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final Instant start = timeline.now();
    private final CircuitBreakers breakers =
            new CircuitBreakers(new BreakerSettings(50, 10, 4, WAIT, 2), timeline, Runnable::run);
    private TypeBreaker breaker = add(ExceptionDetails.FULL);

    private TypeBreaker add(ExceptionDetails details) {
        return breakers.add(TYPE, OrderPlaced.class, new Metrics(new SimpleMeterRegistry()), details);
    }

    private void fail(Throwable failure) {
        Objects.requireNonNull(breaker.admit()).ended(new Returned(null, failure, BreakerEffect.of(failure)));
    }

    private void succeed() {
        Objects.requireNonNull(breaker.admit()).ended(Ending.HANDLED);
    }

    private Instant after(Duration time) {
        timeline.advance(time);
        return timeline.now();
    }

    private Status status() {
        return Objects.requireNonNull(breakers.statuses().get(TYPE));
    }

    private void open() {
        succeed();
        for (int i = 0; i < 3; i++) {
            fail(new IllegalStateException("down"));
        }
    }

    private Pause pause(Duration duration) {
        return new Pause(TYPE, timeline.now(), timeline.now().plus(duration), Scope.NODE, "maintenance", "ann");
    }

    @Test
    void oneThatHasNeverChangedIsClosedSinceItsStart() {
        after(WAIT);

        assertThat(status()).isEqualTo(new Status(TYPE, State.CLOSED, start, null, null, null, null, null));
    }

    @Test
    void tellsWhatWasMeasuredWhenItOpenedAndNotTheThreshold() {
        Instant opened = after(WAIT);
        open();

        Failure last = new Failure("java.lang.IllegalStateException", "down", opened);
        assertThat(status())
                .isEqualTo(new Status(
                        TYPE,
                        State.OPEN,
                        opened,
                        opened.plus(WAIT),
                        "75.0 % of the latest messages failed",
                        75f,
                        last,
                        null))
                .hasToString(
                        "OPEN until %s (75.0 %% of the latest messages failed); the last failure was java.lang.IllegalStateException: down",
                        opened.plus(WAIT));
    }

    @Test
    void whileItIsTriedItStillTellsWhyItOpenedAndAfterwardsThatItIsOver() {
        Status opened = opened();
        Instant tried = after(WAIT);

        assertThat(status())
                .isEqualTo(new Status(
                        TYPE,
                        State.HALF_OPEN,
                        tried,
                        null,
                        "the pause is over: 75.0 % of the latest messages failed",
                        75f,
                        opened.lastFailure(),
                        null));
        Instant closed = after(Duration.ofSeconds(1));
        succeed();
        succeed();
        assertThat(status())
                .isEqualTo(new Status(TYPE, State.CLOSED, closed, null, "the probes succeeded", null, null, null));
        assertThat(opened.state()).isEqualTo(State.OPEN);
    }

    private Status opened() {
        open();
        return status();
    }

    @Test
    void probesThatFailTellTheirOwnRate() {
        opened();
        after(WAIT);
        fail(new IllegalArgumentException("still down"));
        fail(new IllegalArgumentException("still down"));

        assertThat(status())
                .returns(State.OPEN, Status::state)
                .returns("2 of 2 probes failed", Status::reason)
                .returns(100f, Status::failureRate)
                .returns(timeline.now().plus(WAIT), Status::until);
        assertThat(Objects.requireNonNull(status().lastFailure()).type())
                .isEqualTo("java.lang.IllegalArgumentException");
    }

    @Test
    void oneThatIsOpenedForLongerIsOpenSinceItOpenedFirst() {
        var late = Objects.requireNonNull(breaker.admit());
        Instant opened = timeline.now();
        open();
        Instant now = after(Duration.ofSeconds(10));
        ThrottledException throttled = new ThrottledException(Duration.ofMinutes(5));
        late.ended(new Returned(null, throttled, BreakerEffect.of(throttled)));

        assertThat(status())
                .returns(opened, Status::since)
                .returns(now.plus(Duration.ofMinutes(5)), Status::until)
                .returns("a handler is throttled", Status::reason)
                .returns(null, Status::failureRate);
        assertThat(Objects.requireNonNull(status().lastFailure()).type()).isEqualTo(ThrottledException.class.getName());
    }

    @Test
    void troubleWithTheStoreAndTheApplicationsOwnPauseAreNamed() {
        fail(NotHandledException.trouble("The store did not answer", Duration.ofSeconds(5)));
        assertThat(status().reason()).isEqualTo("SB-3005 The store did not answer");

        breakers.open(OrderPlaced.class, Duration.ofHours(1));
        assertThat(status())
                .returns("opened by the application", Status::reason)
                .returns(timeline.now().plus(Duration.ofHours(1)), Status::until);
    }

    @Test
    void whatConcernsOneMessageAloneIsNoFailureOfTheType() {
        fail(NotHandledException.later("busy", Duration.ZERO));

        assertThat(status().lastFailure()).isNull();
    }

    /** Somebody looks for why its messages are retried or set aside. */
    @Test
    void whatDoesNotCountIsToldAllTheSame() {
        fail(new UnknownSagaException("Order", "o-1", TYPE));
        assertThat(Objects.requireNonNull(status().lastFailure()).type())
                .isEqualTo(UnknownSagaException.class.getName());

        for (int i = 0; i < 4; i++) {
            fail(new PoisonMessageException("no such order"));
        }
        fail(NotHandledException.later("busy", Duration.ZERO));
        assertThat(status()).returns(State.CLOSED, Status::state).returns(null, Status::failureRate);
        assertThat(Objects.requireNonNull(status().lastFailure()).text()).contains("no such order");
    }

    @Test
    void textsOfExceptionsAreLeftOutWhereTheyMayNotBeShown() {
        breaker = add(ExceptionDetails.TYPE_ONLY);
        open();

        assertThat(Objects.requireNonNull(status().lastFailure()).text()).isNull();
        assertThat(status().toString())
                .endsWith("the last failure was java.lang.IllegalStateException")
                .doesNotContain("down");
    }

    @Test
    void textsOfExceptionsAreMadePrintable() {
        fail(new IllegalStateException("a\r\nb\ud83d" + "c".repeat(10_000)));
        assertThat(Objects.requireNonNull(status().lastFailure()).text())
                .startsWith("a??b?ccc")
                .hasSizeLessThan(600);

        fail(new IllegalStateException() {
            @Override
            public String getMessage() {
                throw new NoClassDefFoundError("a text nobody can read");
            }
        });
        assertThat(Objects.requireNonNull(status().lastFailure()).text()).contains("cannot be read");
    }

    @Test
    void anOperatorsPauseTellsWhoAndUntilWhen() {
        Instant paused = after(WAIT);
        Pause pause = pause(Duration.ofMinutes(10));
        breakers.hold(TYPE, "paused by ann: maintenance", pause);

        assertThat(status())
                .isEqualTo(new Status(
                        TYPE, State.OPEN, paused, pause.until(), "paused by ann: maintenance", null, null, pause));
        Instant over = after(Duration.ofMinutes(10));
        breakers.release(TYPE, "the pause is over");
        assertThat(status())
                .isEqualTo(new Status(TYPE, State.CLOSED, over, null, "the pause is over", null, null, null));
    }

    @Test
    void aPauseOverAnOpenBreakerHidesNeither() {
        Instant opened = timeline.now();
        open();
        after(Duration.ofSeconds(1));
        Pause pause = pause(Duration.ofSeconds(1));
        breakers.hold(TYPE, "paused by ann: maintenance", pause);

        assertThat(status())
                .returns(opened, Status::since)
                .returns("75.0 % of the latest messages failed", Status::reason)
                .returns(opened.plus(WAIT), Status::until)
                .returns(pause, Status::pause);
        breakers.release(TYPE, "resumed by ann: why");
        assertThat(status())
                .returns(State.OPEN, Status::state)
                .returns("75.0 % of the latest messages failed", Status::reason)
                .returns(null, Status::pause);
    }

    @Test
    void oneThatHasNotStartedSaysSoWithoutAnEnd() {
        breakers.hold(TYPE, "not started", null);

        assertThat(status())
                .isEqualTo(new Status(TYPE, State.OPEN, start, null, "not started", null, null, null))
                .hasToString("OPEN (not started)");
    }
}
