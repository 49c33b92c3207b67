// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure.policy;

import static io.safebunny.message.PoisonReason.HANDLER_FAILED;
import static io.safebunny.message.PoisonReason.RETRIES_EXHAUSTED;
import static io.safebunny.message.PoisonReason.TOO_OLD;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.PoisonMessageException;
import io.safebunny.RetryLaterException;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.UnpublishedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.failure.policy.Ending.Retried;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecoveryPolicyTest {

    private static final RetryStrategy TWICE = RetryStrategy.after(ofSeconds(1), ofSeconds(10));
    private static final RecoveryPolicy USUAL = RecoveryPolicy.of(RetryStrategy.of(1, ofSeconds(0)), TWICE);
    private static final RecoveryPolicy NO_RETRIES = RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none());
    private static final RecoveryPolicy ONLY_IO =
            new RecoveryPolicy(RetryStrategy.none(), TWICE, List.of(IOException.class), List.of());
    private static final RecoveryPolicy IO_BUT_NOT_MISSING_FILES = new RecoveryPolicy(
            RetryStrategy.none(), TWICE, List.of(IOException.class), List.of(FileNotFoundException.class));

    /** In memory, and the rest as the policy says. */
    private static RecoveryPolicy once(RecoveryPolicy policy) {
        return new RecoveryPolicy(
                RetryStrategy.of(1, ofSeconds(0)), policy.delayed(), policy.retryFor(), policy.noRetryFor());
    }

    /** What the delivery ends with. */
    private static Ending after(RecoveryPolicy policy, Throwable failure, int attempt, double random) {
        return policy.end(new FailedAttempt(failure, attempt, true, Age.UNLIMITED, random));
    }

    /** Because of which failure is known later. */
    @FunctionalInterface
    private interface Expected extends Function<Throwable, Ending> {}

    private static Expected retried(Duration after) {
        return failure -> Ending.retried(after, failure);
    }

    private static Expected poisoned(PoisonReason reason) {
        return failure -> Ending.poisoned(reason, failure);
    }

    private static Expected returned(Duration after) {
        return failure -> new Returned(after, failure, BreakerEffect.of(failure));
    }

    private static Throwable failure() {
        return new IllegalStateException("failed");
    }

    static Stream<Arguments> decisions() {
        return Stream.of(
                arguments("first delivery", USUAL, failure(), 0, retried(ofSeconds(1))),
                arguments("second delivery", USUAL, failure(), 1, retried(ofSeconds(10))),
                arguments("last delivery", USUAL, failure(), 2, poisoned(RETRIES_EXHAUSTED)),
                arguments("more attempts than configured", USUAL, failure(), 99, poisoned(RETRIES_EXHAUSTED)),
                arguments(
                        "what the handler published was refused, whatever the lists say",
                        ONLY_IO,
                        new UnpublishedException(
                                "m-1", new UnroutableException(new Publication("Shipped", "shop-Shipped", "m-2"), "")),
                        0,
                        retried(ofSeconds(1))),
                arguments("an Error", USUAL, new StackOverflowError(), 0, retried(ofSeconds(1))),
                arguments("no retries at all", NO_RETRIES, failure(), 0, poisoned(HANDLER_FAILED)),
                arguments(
                        "in-memory retries only",
                        RecoveryPolicy.of(TWICE, RetryStrategy.none()),
                        failure(),
                        0,
                        poisoned(RETRIES_EXHAUSTED)),
                arguments("retry later", USUAL, new RetryLaterException(ofSeconds(77)), 0, retried(ofSeconds(77))),
                arguments(
                        "retry later costs a delayed retry",
                        USUAL,
                        new RetryLaterException(ofSeconds(77)),
                        2,
                        poisoned(RETRIES_EXHAUSTED)),
                arguments(
                        "retry later without delayed retries",
                        NO_RETRIES,
                        new RetryLaterException(ofSeconds(77)),
                        0,
                        poisoned(HANDLER_FAILED)),
                arguments(
                        "retry later is retryable whatever is listed",
                        ONLY_IO,
                        new RetryLaterException(ofSeconds(77)),
                        0,
                        retried(ofSeconds(77))),
                arguments("poison", USUAL, new PoisonMessageException("no"), 0, poisoned(HANDLER_FAILED)),
                arguments("listed", ONLY_IO, new IOException("io"), 0, retried(ofSeconds(1))),
                arguments("subtype of listed", ONLY_IO, new FileNotFoundException(), 0, retried(ofSeconds(1))),
                arguments("not listed", ONLY_IO, failure(), 0, poisoned(HANDLER_FAILED)),
                arguments(
                        "listed as cause only",
                        ONLY_IO,
                        new UncheckedIOException(new IOException("io")),
                        0,
                        poisoned(HANDLER_FAILED)),
                arguments(
                        "excluded wins",
                        IO_BUT_NOT_MISSING_FILES,
                        new FileNotFoundException(),
                        0,
                        poisoned(HANDLER_FAILED)),
                arguments("not excluded", IO_BUT_NOT_MISSING_FILES, new IOException("io"), 0, retried(ofSeconds(1))),
                arguments(
                        "not handled costs no attempt",
                        NO_RETRIES,
                        NotHandledException.later("busy", ofSeconds(3)),
                        99,
                        returned(ofSeconds(3))),
                arguments(
                        "invalid keeps its reason",
                        USUAL,
                        new InvalidMessageException(TOO_OLD, "old"),
                        0,
                        poisoned(TOO_OLD)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("decisions")
    void decides(String situation, RecoveryPolicy policy, Throwable failure, int attempt, Expected expected) {
        assertThat(after(policy, failure, attempt, 0.5)).as(situation).isEqualTo(expected.apply(failure));
    }

    @ParameterizedTest
    @CsvSource({"0,0,1", "0,3,4", "2,0,3", "2,3,12", "1,1,4"})
    void triesInMemoryPlusOneTimesDelayedPlusOneTimes(int inMemory, int delayed, int expectedTries) {
        RecoveryPolicy policy =
                RecoveryPolicy.of(RetryStrategy.of(inMemory, ofSeconds(1)), RetryStrategy.of(delayed, ofSeconds(1)));
        List<Ending> deliveries = new ArrayList<>();
        do {
            deliveries.add(after(policy, failure(), deliveries.size(), 0.5));
        } while (deliveries.get(deliveries.size() - 1) instanceof Retried);

        assertThat(deliveries.size() * (policy.inMemory().maxRetries() + 1)).isEqualTo(expectedTries);
    }

    @Test
    void movesDelaysWithinTheirJitter() {
        RecoveryPolicy policy = RecoveryPolicy.of(
                RetryStrategy.none(), RetryStrategy.after(ofSeconds(10)).withJitter(0.5));

        Throwable failure = failure();
        assertThat(after(policy, failure, 0, 0)).isEqualTo(Ending.retried(ofSeconds(5), failure));
        assertThat(after(policy, failure, 0, 1)).isEqualTo(Ending.retried(ofSeconds(15), failure));
    }

    static Stream<Arguments> inMemory() {
        return Stream.of(
                arguments(USUAL, failure(), true),
                arguments(NO_RETRIES, failure(), false),
                arguments(USUAL, new OutOfMemoryError(), true),
                arguments(USUAL, new RetryLaterException(ofSeconds(1)), false),
                arguments(USUAL, new PoisonMessageException("no"), false),
                arguments(USUAL, new InterruptedException(), false),
                arguments(once(ONLY_IO), failure(), false),
                arguments(once(ONLY_IO), new IOException("io"), true),
                arguments(once(IO_BUT_NOT_MISSING_FILES), new FileNotFoundException(), false));
    }

    @ParameterizedTest
    @MethodSource("inMemory")
    void triesAgainInMemoryOnlyWhatMayHelp(RecoveryPolicy policy, Throwable failure, boolean expected) {
        Duration wait = policy.again(new FailedAttempt(failure, 0, true, Age.UNLIMITED, 0.5), 0);
        assertThat(wait != null).isEqualTo(expected);
    }
}
