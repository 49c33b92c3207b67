// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import static io.safebunny.failure.policy.BreakerEffect.Result.ANSWER;
import static io.safebunny.failure.policy.BreakerEffect.Result.FAILURE;
import static io.safebunny.failure.policy.BreakerEffect.Result.NOTHING;
import static io.safebunny.failure.policy.Ending.RecordEffect.ATTEMPT_FAILED;
import static io.safebunny.failure.policy.Ending.RecordEffect.POISONED;
import static io.safebunny.failure.policy.Ending.RecordEffect.RELEASED;
import static io.safebunny.message.PoisonReason.HANDLER_FAILED;
import static io.safebunny.message.PoisonReason.MALFORMED_BODY;
import static io.safebunny.message.PoisonReason.RETRIES_EXHAUSTED;
import static io.safebunny.message.PoisonReason.TOO_LARGE;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.ThrottledException;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.failure.policy.BreakerEffect.Pause;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.failure.policy.Ending.RecordEffect;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of failure, whatever is left of the message's attempts: what becomes of the message, of its record and of its type. */
class RecoveryTableTest {

    private static final Publication PUBLICATION = new Publication("Shipped", "shop-Shipped", "m-2");
    private static final Age YOUNG = new Age(ofMinutes(1), ofMinutes(10));

    /** One retry in memory, then one delayed; not for the listed exception. */
    private static final RecoveryPolicy POLICY = new RecoveryPolicy(
            RetryStrategy.of(1, ofSeconds(1)),
            RetryStrategy.after(ofSeconds(10)),
            List.of(),
            List.of(InterruptedIOException.class));

    private static final Duration NOW = ofSeconds(1);
    private static final Expected DELAYED = retried(ofSeconds(10));
    private static final Expected EXHAUSTED = poisoned(RETRIES_EXHAUSTED);
    private static final Expected FAILED = poisoned(HANDLER_FAILED);

    /** Because of a failure, and with this effect. */
    @FunctionalInterface
    interface Expected extends BiFunction<Throwable, BreakerEffect, Ending> {}

    private static Expected retried(Duration after) {
        return (failure, breaker) -> new Retried(after, failure, breaker);
    }

    private static Expected poisoned(PoisonReason reason) {
        return (failure, breaker) -> new Poisoned(reason, failure, breaker, PoisonRecord.NONE);
    }

    private static Expected returned(@Nullable Duration after) {
        return (failure, breaker) -> new Returned(after, failure, breaker);
    }

    /**
     * @param now the wait before a retry in memory, if one is left; {@code null} for none
     * @param later with one delayed left
     * @param last with none left
     */
    record Row(Throwable failure, @Nullable Duration now, Expected later, Expected last, BreakerEffect breaker) {

        @Override
        public String toString() {
            return failure.getClass().getSimpleName() + " " + breaker;
        }
    }

    private static Row always(Throwable failure, Expected ending, BreakerEffect breaker) {
        return new Row(failure, null, ending, ending, breaker);
    }

    private static Row retried(Throwable failure, BreakerEffect breaker) {
        return new Row(failure, NOW, DELAYED, EXHAUSTED, breaker);
    }

    private static Pause pause(@Nullable Duration duration, Throwable failure) {
        return new Pause(duration, String.valueOf(failure.getMessage()));
    }

    static Stream<Row> table() {
        List<Row> rows = new ArrayList<>();
        rows.add(retried(new IllegalStateException("failed"), FAILURE));
        rows.add(retried(new IOException("failed"), FAILURE));
        rows.add(retried(new StackOverflowError(), FAILURE));
        rows.add(retried(new NackedException(PUBLICATION, "full"), FAILURE));
        rows.add(retried(new UnpublishedException("m-1", new UnroutableException(PUBLICATION, "")), FAILURE));
        rows.add(new Row(new InterruptedException(), null, DELAYED, EXHAUSTED, FAILURE));
        rows.add(always(new InterruptedIOException("excluded"), FAILED, FAILURE));
        rows.add(always(new PoisonMessageException("no"), FAILED, ANSWER));
        rows.add(new Row(new RetryLaterException(ofSeconds(77)), null, retried(ofSeconds(77)), EXHAUSTED, ANSWER));
        rows.add(retried(PublishTimeoutException.interrupted(PUBLICATION, "the confirm"), ANSWER));
        Throwable timeout = new PublishTimeoutException(PUBLICATION, ofSeconds(5), "the confirm");
        rows.add(retried(timeout, pause(null, timeout)));
        Throwable lost = new ConnectionLostException(PUBLICATION, "gone", null);
        rows.add(retried(lost, pause(null, lost)));
        rows.add(always(
                new ThrottledException(ofSeconds(7)),
                returned(ofSeconds(7)),
                new Pause(ofSeconds(7), "a handler is throttled")));
        rows.add(always(NotHandledException.later("busy", ofSeconds(3)), returned(ofSeconds(3)), NOTHING));
        Throwable trouble = NotHandledException.trouble("the store is away", ofSeconds(5));
        rows.add(always(trouble, returned(ofSeconds(5)), pause(null, trouble)));
        Throwable patience = NotHandledException.throttled("patience", ofSeconds(9));
        rows.add(always(patience, returned(ofSeconds(9)), pause(ofSeconds(9), patience)));
        for (PoisonReason reason : List.of(MALFORMED_BODY, TOO_LARGE, RETRIES_EXHAUSTED)) {
            rows.add(always(new InvalidMessageException(reason, "invalid"), poisoned(reason), NOTHING));
        }
        return rows.stream();
    }

    private static FailedAttempt attempt(Throwable failure, int attempt, boolean isOpen, Age age) {
        return new FailedAttempt(failure, attempt, isOpen, age, 0.5);
    }

    private static Failed end(Throwable failure, int attempt, Age age) {
        return POLICY.end(attempt(failure, attempt, true, age));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void saysWhatBecomesOfTheMessageAndOfItsType(Row row) {
        Throwable failure = row.failure();
        assertThat(POLICY.again(attempt(failure, 0, true, YOUNG), 0)).isEqualTo(row.now());
        assertThat(POLICY.again(attempt(failure, 0, true, YOUNG), 1)).isNull();
        assertThat(end(failure, 0, YOUNG)).isEqualTo(row.later().apply(failure, row.breaker()));
        assertThat(end(failure, 1, YOUNG)).isEqualTo(row.last().apply(failure, row.breaker()));
    }

    /** The broker delivers the message again, so nothing is counted against it; what its type lacks is still true. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void leavesTheMessageToTheBrokerWhenItsDeliveryIsGone(Row row) {
        for (int attempt = 0; attempt < 3; attempt++) {
            FailedAttempt failed = attempt(row.failure(), attempt, false, new Age(ofMinutes(99), ofMinutes(10)));
            Failed ending = POLICY.end(failed);

            assertThat(POLICY.again(failed, 0)).isNull();
            assertThat(ending).isEqualTo(new Returned(null, row.failure(), row.breaker()));
            assertThat(ending.record()).isEqualTo(RELEASED);
        }
    }

    @Test
    void setsAsideAtOnceWhatWouldComeBackTooOld() {
        for (Throwable asking :
                List.of(new RetryLaterException(ofMinutes(10)), new ThrottledException(ofMinutes(10)))) {
            assertThat(end(asking, 0, YOUNG)).isInstanceOfSatisfying(Poisoned.class, poisoned -> {
                assertThat(poisoned.reason()).isEqualTo(HANDLER_FAILED);
                assertThat(poisoned.breaker()).isEqualTo(BreakerEffect.of(asking));
                assertThat(poisoned.failure())
                        .isInstanceOf(PoisonMessageException.class)
                        .hasCause(asking)
                        .hasMessageContaining("delay=PT10M, age=PT1M, safebunny.dedup.retention=PT10M");
            });
        }
        Throwable soon = new RetryLaterException(ofMinutes(9));
        assertThat(end(soon, 0, YOUNG)).isEqualTo(Ending.retried(ofMinutes(9), soon));
        Throwable late = new RetryLaterException(ofMinutes(99));
        assertThat(end(late, 0, Age.UNLIMITED)).isEqualTo(Ending.retried(ofMinutes(99), late));
    }

    /** Only a delayed retry counts an attempt, and only poison needs a replay. */
    @Test
    void saysWhatTheRecordSays() {
        Throwable failure = new IOException("failed");
        assertThat(Stream.of(DELAYED, returned(ofSeconds(1)), returned(null), EXHAUSTED)
                        .map(ending -> ((Failed) ending.apply(failure, FAILURE)).record()))
                .containsExactly(ATTEMPT_FAILED, RELEASED, RELEASED, POISONED);
        assertThat(Failed.class.getPermittedSubclasses()).hasSize(RecordEffect.values().length);
    }

    @Test
    void comesBackForADeliveryThatHasTheMessage() {
        NotHandledException handled = NotHandledException.later("handled meanwhile", Duration.ZERO);

        assertThat(Returned.because(handled)).isEqualTo(new Returned(Duration.ZERO, handled, NOTHING));
    }
}
