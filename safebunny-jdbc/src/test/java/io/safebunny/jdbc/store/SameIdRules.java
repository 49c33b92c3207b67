// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.dedup.Deduplication;
import io.safebunny.failure.policy.FailedAttempt;
import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two different messages with one id, where the claim is a transaction: uncommitted writes are invisible. */
abstract class SameIdRules {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final String saga = UUID.randomUUID().toString();
    private final RecoveryPolicy policy =
            RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.of(3, Duration.ofSeconds(1)));
    private final List<String> handled = new ArrayList<>();
    private final List<Integer> charged = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Deduplication instance;

    abstract TestDatabase database();

    @BeforeEach
    void open() {
        instance = Instances.over(
                Instances.store(database().pool(), JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1))),
                timeline,
                5);
    }

    @AfterEach
    void close() {
        timeline.close();
    }

    @FunctionalInterface
    private interface Handler {
        void handle(Handling handling) throws Exception;
    }

    private void deliver(String body, Handler handler) throws Exception {
        deliver(body, 0, handler);
    }

    private void deliver(String body, int attempt, Handler handler) throws Exception {
        Handling handling = new Handling(
                new CurrentHandling(),
                new Envelope(
                        "the-same",
                        saga,
                        "Order",
                        "shop",
                        1,
                        null,
                        attempt,
                        0,
                        0,
                        null,
                        Map.of(),
                        Map.of(),
                        "application/json",
                        body.getBytes(StandardCharsets.UTF_8)));
        Instances.deliver(
                instance,
                handling,
                failure ->
                        policy.end(new FailedAttempt(failure, handling.message().attempt(), true, Age.UNLIMITED, 0)),
                execution -> execution.attempt(() -> {
                    handled.add(body);
                    handler.handle(execution);
                }));
    }

    private void expectSetAside(String body, Handler handler) {
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> deliver(body, handler))
                .withMessageContaining("the-same")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.HANDLER_FAILED));
    }

    private int charge(Handling execution, int receipt) {
        return execution.once("charge", Integer.class, () -> {
            charged.add(receipt);
            return receipt;
        });
    }

    /** The database does not answer at the commit, or the process dies: nothing is left of the message but its step. */
    private void chargeAndLeaveNothingElse(String body, int receipt) {
        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> deliver(body, execution -> {
                    assertThat(charge(execution, receipt)).isEqualTo(receipt);
                    throw NotHandledException.later("leaves no trace but its step", Duration.ZERO);
                }));
    }

    private void fail(String body) {
        assertThatThrownBy(() -> deliver(body, execution -> {
                    throw new IOException("fails, and comes again");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void theFirstWhoseHandlingEndsStandsAndTheOtherIsSetAside() throws Exception {
        fail("1");
        expectSetAside("2", execution -> {});
        deliver("1", execution -> {});
        expectSetAside("2", execution -> {});

        assertThat(handled).containsExactly("1", "1");
    }

    @Test
    void theFirstWhoseStepIsStoredStandsAndItsReceiptIsNotGivenToTheOther() throws Exception {
        chargeAndLeaveNothingElse("1", 1);
        expectSetAside("2", execution -> charge(execution, 2));
        deliver("1", execution -> assertThat(charge(execution, 3)).isEqualTo(1));
        expectSetAside("2", execution -> charge(execution, 4));

        assertThat(charged).containsExactly(1);
        assertThat(handled).containsExactly("1", "2", "1");
    }

    /** Unlike a retry, this one has nothing recorded before it begins. */
    @Test
    void soItDoesWhenTheOtherSaysThatItIsARetry() throws Exception {
        chargeAndLeaveNothingElse("1", 1);
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> deliver("2", 1, execution -> charge(execution, 2)));
        deliver("1", execution -> assertThat(charge(execution, 3)).isEqualTo(1));

        assertThat(charged).containsExactly(1);
    }

    @Test
    void aHandlerThatGoesOnWithoutTheReceiptIsNotCompleted() throws Exception {
        chargeAndLeaveNothingElse("1", 1);
        expectSetAside("2", execution -> assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> charge(execution, 2)));
        deliver("1", execution -> assertThat(charge(execution, 3)).isEqualTo(1));

        assertThat(charged).containsExactly(1);
    }

    @Test
    void bothAreSetAsideWhenTheStepIsOfOneAndTheFailedAttemptOfTheOther() {
        chargeAndLeaveNothingElse("1", 1);
        fail("2");
        expectSetAside("1", execution -> charge(execution, 3));
        expectSetAside("2", execution -> charge(execution, 4));

        assertThat(charged).containsExactly(1);
    }
}
