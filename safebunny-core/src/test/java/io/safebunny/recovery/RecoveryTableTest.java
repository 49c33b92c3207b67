// SPDX-License-Identifier: Apache-2.0
package io.safebunny.recovery;

import static io.safebunny.message.PoisonReason.HANDLER_FAILED;
import static io.safebunny.message.PoisonReason.MALFORMED_BODY;
import static io.safebunny.message.PoisonReason.RETRIES_EXHAUSTED;
import static io.safebunny.message.PoisonReason.TOO_LARGE;
import static io.safebunny.recovery.BreakerEffect.Result.ANSWER;
import static io.safebunny.recovery.BreakerEffect.Result.FAILURE;
import static io.safebunny.recovery.BreakerEffect.Result.NOTHING;
import static io.safebunny.recovery.RecoveryAction.RecordEffect.ATTEMPT_FAILED;
import static io.safebunny.recovery.RecoveryAction.RecordEffect.POISONED;
import static io.safebunny.recovery.RecoveryAction.RecordEffect.RELEASED;
import static io.safebunny.recovery.RecoveryAction.RecordEffect.STAYS_CLAIMED;
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
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.recovery.BreakerEffect.Pause;
import io.safebunny.recovery.FailedAttempt.Age;
import io.safebunny.recovery.RecoveryAction.ComeBack;
import io.safebunny.recovery.RecoveryAction.Poison;
import io.safebunny.recovery.RecoveryAction.RecordEffect;
import io.safebunny.recovery.RecoveryAction.Redelivery;
import io.safebunny.recovery.RecoveryAction.RetryDelayed;
import io.safebunny.recovery.RecoveryAction.RetryNow;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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

    private static final RecoveryAction NOW = new RetryNow(ofSeconds(1));
    private static final RecoveryAction DELAYED = new RetryDelayed(ofSeconds(10));
    private static final RecoveryAction EXHAUSTED = new Poison(RETRIES_EXHAUSTED);
    private static final RecoveryAction FAILED = new Poison(HANDLER_FAILED);

    /**
     * @param now with a retry in memory left
     * @param later with none left in memory, and one delayed
     * @param last with none left
     */
    record Row(
            Throwable failure, RecoveryAction now, RecoveryAction later, RecoveryAction last, BreakerEffect breaker) {

        @Override
        public String toString() {
            return failure.getClass().getSimpleName() + " " + breaker;
        }
    }

    private static Row always(Throwable failure, RecoveryAction action, BreakerEffect breaker) {
        return new Row(failure, action, action, action, breaker);
    }

    private static Row retried(Throwable failure, BreakerEffect breaker) {
        return new Row(failure, NOW, DELAYED, EXHAUSTED, breaker);
    }

    private static Pause pause(@org.jspecify.annotations.Nullable Duration duration, Throwable failure) {
        return new Pause(duration, String.valueOf(failure.getMessage()));
    }

    static Stream<Row> table() {
        List<Row> rows = new ArrayList<>();
        rows.add(retried(new IllegalStateException("failed"), FAILURE));
        rows.add(retried(new IOException("failed"), FAILURE));
        rows.add(retried(new StackOverflowError(), FAILURE));
        rows.add(retried(new NackedException(PUBLICATION, "full"), FAILURE));
        rows.add(retried(new UnpublishedException("m-1", new UnroutableException(PUBLICATION, "")), FAILURE));
        rows.add(new Row(new InterruptedException(), DELAYED, DELAYED, EXHAUSTED, FAILURE));
        rows.add(always(new InterruptedIOException("excluded"), FAILED, FAILURE));
        rows.add(always(new PoisonMessageException("no"), FAILED, ANSWER));
        rows.add(new Row(
                new RetryLaterException(ofSeconds(77)),
                new RetryDelayed(ofSeconds(77)),
                new RetryDelayed(ofSeconds(77)),
                EXHAUSTED,
                ANSWER));
        rows.add(retried(PublishTimeoutException.interrupted(PUBLICATION, "the confirm"), ANSWER));
        Throwable timeout = new PublishTimeoutException(PUBLICATION, ofSeconds(5), "the confirm");
        rows.add(retried(timeout, pause(null, timeout)));
        Throwable lost = new ConnectionLostException(PUBLICATION, "gone", null);
        rows.add(retried(lost, pause(null, lost)));
        rows.add(always(
                new ThrottledException(ofSeconds(7)),
                new ComeBack(ofSeconds(7)),
                new Pause(ofSeconds(7), "a handler is throttled")));
        rows.add(always(NotHandledException.later("busy", ofSeconds(3)), new ComeBack(ofSeconds(3)), NOTHING));
        Throwable trouble = NotHandledException.trouble("the store is away", ofSeconds(5));
        rows.add(always(trouble, new ComeBack(ofSeconds(5)), pause(null, trouble)));
        Throwable patience = NotHandledException.throttled("patience", ofSeconds(9));
        rows.add(always(patience, new ComeBack(ofSeconds(9)), pause(ofSeconds(9), patience)));
        for (PoisonReason reason : List.of(MALFORMED_BODY, TOO_LARGE, RETRIES_EXHAUSTED)) {
            rows.add(always(new InvalidMessageException(reason, "invalid"), new Poison(reason), NOTHING));
        }
        return rows.stream();
    }

    private static Recovery decide(Throwable failure, int inMemoryRetries, int attempt, boolean isOpen, Age age) {
        return POLICY.decide(new FailedAttempt(failure, inMemoryRetries, attempt, isOpen, age, 0.5));
    }

    private static Recovery decide(Row row, int inMemoryRetries, int attempt) {
        return decide(row.failure(), inMemoryRetries, attempt, true, YOUNG);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void saysWhatBecomesOfTheMessageAndOfItsType(Row row) {
        assertThat(decide(row, 0, 0)).isEqualTo(new Recovery(row.now(), row.breaker(), row.failure()));
        assertThat(decide(row, 1, 0)).isEqualTo(new Recovery(row.later(), row.breaker(), row.failure()));
        assertThat(decide(row, FailedAttempt.NO_MORE, 0).action()).isEqualTo(row.later());
        assertThat(decide(row, 1, 1)).isEqualTo(new Recovery(row.last(), row.breaker(), row.failure()));
    }

    /** The broker delivers the message again, so nothing is counted against it; what its type lacks is still true. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("table")
    void leavesTheMessageToTheBrokerWhenItsDeliveryIsGone(Row row) {
        for (int attempt = 0; attempt < 3; attempt++) {
            Recovery recovery = decide(row.failure(), 0, attempt, false, new Age(ofMinutes(99), ofMinutes(10)));

            assertThat(recovery).isEqualTo(new Recovery(new Redelivery(), row.breaker(), row.failure()));
            assertThat(recovery.action().record()).isEqualTo(RELEASED);
        }
    }

    @Test
    void setsAsideAtOnceWhatWouldComeBackTooOld() {
        for (Throwable asking :
                List.of(new RetryLaterException(ofMinutes(10)), new ThrottledException(ofMinutes(10)))) {
            Recovery recovery = decide(asking, 0, 0, true, YOUNG);

            assertThat(recovery.action()).isEqualTo(FAILED);
            assertThat(recovery.breaker()).isEqualTo(BreakerEffect.of(asking));
            assertThat(recovery.failure())
                    .isInstanceOf(PoisonMessageException.class)
                    .hasCause(asking)
                    .hasMessageContaining("delay=PT10M, age=PT1M, safebunny.dedup.retention=PT10M");
        }
        assertThat(decide(new RetryLaterException(ofMinutes(9)), 0, 0, true, YOUNG)
                        .action())
                .isEqualTo(new RetryDelayed(ofMinutes(9)));
        assertThat(decide(new RetryLaterException(ofMinutes(99)), 0, 0, true, Age.UNLIMITED)
                        .action())
                .isEqualTo(new RetryDelayed(ofMinutes(99)));
    }

    /** Only a delayed retry counts an attempt, and only poison needs a replay. */
    @Test
    void saysWhatTheRecordSays() {
        assertThat(Stream.of(NOW, DELAYED, new ComeBack(ofSeconds(1)), new Redelivery(), EXHAUSTED)
                        .map(RecoveryAction::record))
                .containsExactly(STAYS_CLAIMED, ATTEMPT_FAILED, RELEASED, RELEASED, POISONED);
        assertThat(Stream.of(RecoveryAction.class.getPermittedSubclasses())).hasSize(RecordEffect.values().length + 1);
    }

    @Test
    void isSupersededByADeliveryThatHasTheMessage() {
        NotHandledException handled = NotHandledException.later("handled meanwhile", Duration.ZERO);

        assertThat(Recovery.superseded(handled)).isEqualTo(new Recovery(new ComeBack(Duration.ZERO), NOTHING, handled));
    }
}
