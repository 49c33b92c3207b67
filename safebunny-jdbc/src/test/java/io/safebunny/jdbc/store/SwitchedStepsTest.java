// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.policy.BreakerEffect;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Returned;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.Headers;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.SystemTimeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A deploy changes safebunny.store.jdbc.transactional, and with it where steps are kept, while messages wait to be handled again. */
class SwitchedStepsTest {

    private final SystemTimeline timeline = new SystemTimeline("test");
    private final JdbcStoreOptions options = JdbcStoreOptions.of(TestDatabase.newNode(), Duration.ofHours(1));
    private final MessageStore joint = Instances.store(TestDatabase.H2.pool(), options);
    private final MessageStore separate = new JdbcMessageStore(TestDatabase.H2.pool(), options);
    private final String saga = UUID.randomUUID().toString();
    private final List<String> ran = new ArrayList<>();

    private static Failed retried(Throwable failure) {
        return Ending.retried(Duration.ofSeconds(1), failure);
    }

    private static Failed poisoned(Throwable failure) {
        return Ending.poisoned(PoisonReason.RETRIES_EXHAUSTED, failure);
    }

    @AfterEach
    void close() {
        timeline.close();
    }

    private void step(Handling handling, String name) {
        String result = handling.once(name, String.class, () -> {
            ran.add(name);
            return "result of " + name;
        });
        assertThat(result).isEqualTo("result of " + name);
    }

    /** @param steps how many of the handler's two are reached */
    private void deliver(MessageStore store, Map<String, Object> headers, int steps, Function<Throwable, Failed> next)
            throws Exception {
        Instances.deliver(
                Instances.over(store, timeline, 5),
                new Handling(
                        new CurrentHandling(),
                        EnvelopeReader.read(new WireMessage(
                                "id",
                                saga,
                                "Order",
                                null,
                                null,
                                null,
                                null,
                                headers,
                                "{}".getBytes(StandardCharsets.UTF_8)))),
                next,
                handling -> handling.attempt(() -> {
                    if (steps == 0) {
                        throw new IOException("no order");
                    }
                    step(handling, "charge");
                    if (steps == 1) {
                        throw new IOException("no courier");
                    }
                    step(handling, "ship");
                    if (steps == 2) {
                        throw new IOException("no paper");
                    }
                }));
    }

    private void fails(MessageStore store, Map<String, Object> headers, int steps, Function<Throwable, Failed> next) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> deliver(store, headers, steps, next));
    }

    private Map<String, Object> replayed() {
        MessageRecord stored = Objects.requireNonNull(joint.find(new RecordKey(saga, "id")));
        return Map.of(Headers.POISONED_AT, 1L, Headers.POISON_VERSION, stored.version());
    }

    private static Map<String, Object> retry(int attempt) {
        return Map.of(Headers.ATTEMPT, attempt);
    }

    @Test
    void stepsOfAJointTransactionAreNotRepeatedInSeparateOnes() throws Exception {
        fails(joint, Map.of(), 1, SwitchedStepsTest::retried);
        deliver(separate, retry(1), 3, SwitchedStepsTest::retried);

        assertThat(ran).containsExactly("charge", "ship");
    }

    /** As when the stop of its instance interrupts the handler: no attempt is spent, so the message has no record of its own. */
    @Test
    void norAreThoseOfAnAttemptThatDoesNotCount() throws Exception {
        fails(joint, Map.of(), 1, failure -> new Returned(null, failure, BreakerEffect.of(failure)));
        deliver(separate, Map.of(), 3, SwitchedStepsTest::retried);

        assertThat(ran).containsExactly("charge", "ship");
    }

    @Test
    void stepsOfSeparateTransactionsAreNotRepeatedInAJointOne() throws Exception {
        fails(separate, Map.of(), 1, SwitchedStepsTest::retried);
        deliver(joint, retry(1), 3, SwitchedStepsTest::retried);

        assertThat(ran).containsExactly("charge", "ship");
    }

    @Test
    void norAreThoseOfAMessageThatWasSetAside() throws Exception {
        fails(joint, Map.of(), 1, SwitchedStepsTest::poisoned);
        fails(separate, replayed(), 2, SwitchedStepsTest::poisoned);
        fails(joint, replayed(), 2, SwitchedStepsTest::poisoned);
        deliver(separate, replayed(), 3, SwitchedStepsTest::poisoned);

        assertThat(ran).containsExactly("charge", "ship");
    }

    /** Its handler did not even ask for them. */
    @Test
    void norAMonthLaterThoseOfAMessageThatWasSetAsideByTheOtherKind() throws Exception {
        fails(joint, Map.of(), 1, SwitchedStepsTest::retried);
        fails(separate, retry(1), 0, SwitchedStepsTest::poisoned);
        TestDatabase.H2.age(Duration.ofDays(30));
        int unused = separate.removeExpired(100);
        deliver(joint, replayed(), 3, SwitchedStepsTest::retried);

        assertThat(ran).containsExactly("charge", "ship");
    }

    @Test
    void norWhenItIsChangedBackAndForth() throws Exception {
        fails(separate, Map.of(), 1, SwitchedStepsTest::retried);
        fails(joint, retry(1), 2, SwitchedStepsTest::retried);
        fails(separate, retry(2), 2, SwitchedStepsTest::retried);
        deliver(joint, retry(3), 3, SwitchedStepsTest::retried);

        assertThat(ran).containsExactly("charge", "ship");
    }
}
