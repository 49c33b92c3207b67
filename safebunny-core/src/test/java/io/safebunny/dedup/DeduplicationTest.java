// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.MESSAGE;
import static io.safebunny.dedup.DedupBench.RETENTION;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.store.record.RecordState;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeduplicationTest {

    private final DedupBench bench = new DedupBench();

    private void publishUnseen() {
        bench.publish();
        assertThat(bench.transport.attempted())
                .as("sent before the handler succeeded")
                .isEmpty();
    }

    @Test
    void handlesAndDispatchesTheFirstDelivery() throws Exception {
        bench.deliver(execution -> publishUnseen());

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void suppressesADuplicateAtOnceAndAfterTheMarkIsWritten() throws Exception {
        bench.deliver(execution -> publishUnseen());
        bench.deliver(execution -> bench.publish());
        assertThat(bench.stored().state()).isEqualTo(RecordState.COMPLETED);

        bench.timeline.advance(Duration.ofSeconds(1));
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.counted("hit")).isEqualTo(2);
    }

    @Test
    void needsTwoWritesForAMessageThatPublishesNothingAndOneMoreForTheMark() throws Exception {
        bench.deliver(execution -> {});
        bench.timeline.advance(Duration.ofMinutes(1));
        assertThat(bench.store.written())
                .extracting(record -> record.state())
                .containsExactly(RecordState.CLAIMED, RecordState.DISPATCHED);

        bench.deliver(
                bench.instance,
                Wires.orderPlaced().with("message_id", "another").envelope(),
                execution -> bench.publish());
        bench.timeline.advance(Duration.ofMinutes(1));
        assertThat(bench.store.written().subList(2, 5))
                .extracting(record -> record.state())
                .containsExactly(RecordState.CLAIMED, RecordState.COMPLETED, RecordState.DISPATCHED);
    }

    @Test
    void publishesNothingOfAFailedHandlerAndLetsTheNextAttemptTry() throws Exception {
        IOException failure = new IOException("failed");
        assertThatThrownBy(() -> bench.deliver(execution -> {
                    publishUnseen();
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(bench.transport.attempted()).isEmpty();

        bench.deliver(bench.instance, MESSAGE.nextAttempt(), execution -> bench.publish());

        assertThat(bench.runs).containsExactly(0, 1);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void releasesTheClaimAfterAnErrorToo() throws Exception {
        assertThatThrownBy(() -> bench.deliver(execution -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);
        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(2);
    }

    @Test
    void countsAttemptsInTheRecordSoThatALostAcknowledgementAddsNone() {
        failAs(MESSAGE, 0);
        failAs(MESSAGE, 1); // once more with the first number: its acknowledgement got lost
        failAs(MESSAGE.atAttempt(1), 2); // and the copy of the first failure

        // the policy allows two retries: whatever copies are still under way, the handler has had its three attempts
        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> bench.deliver(bench.instance, MESSAGE.atAttempt(2), execution -> {}))
                .withMessageContaining("recorded as set aside before");
        assertThat(bench.runs).containsExactly(0, 1, 2);
    }

    private void failAs(io.safebunny.message.Envelope message, int attempt) {
        assertThatThrownBy(() -> bench.deliver(bench.instance, message, execution -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThat(bench.runs).last().isEqualTo(attempt);
    }

    @Test
    void handlesAPoisonedMessageAgainOnlyWhenItIsReplayedAndThenFromTheFirstAttempt() throws Exception {
        bench.poison();
        assertThat(bench.stored().state()).isEqualTo(RecordState.POISONED);
        assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> bench.deliver(execution -> {}));

        bench.replay(execution -> bench.publish());
        bench.replay(execution -> bench.publish());

        assertThat(bench.runs).containsExactly(0);
        assertThat(bench.transport.published()).hasSize(1);
    }

    @Test
    void countsOnWhenAReplayIsDeliveredAgain() throws Exception {
        bench.poison();
        DedupBench.Handler failing = execution -> {
            throw new IOException("failed");
        };

        assertThatThrownBy(() -> bench.replay(failing)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> bench.replay(failing)).isInstanceOf(IOException.class); // its acknowledgement got lost
        assertThatThrownBy(() -> bench.deliver(bench.instance, MESSAGE.atAttempt(2), failing))
                .isInstanceOf(IOException.class);
        bench.replay(execution -> {}); // by an operator, again

        assertThat(bench.runs).containsExactly(0, 1, 2, 0);
    }

    @Test
    void goesOnWithAReplayOfWhatCouldNotBeMarkedAsSetAside() throws Exception {
        failAs(MESSAGE, 0);
        bench.replay(execution -> {});

        assertThat(bench.runs).containsExactly(0, 1);
    }

    @Test
    void makesADeliveryWaitWhileAnotherIsBeingHandled() throws Exception {
        bench.deliver(outer -> assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> {}))
                .withMessageContaining(MESSAGE.id())
                .satisfies(e -> assertThat(e.delay()).isPositive())
                .satisfies(e -> assertThat(e.isTrouble()).isFalse()));

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.counted("busy")).isEqualTo(1);
    }

    @Test
    void onlyDispatchesWhatWasCompletedButNotDispatched() throws Exception {
        bench.transport.answerNext(RecordingTransport.UNROUTABLE);
        bench.deliver(execution -> publishUnseen());
        assertThat(bench.transport.published()).isEmpty();

        bench.deliver(execution -> bench.publish());
        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.transport.attempted().get(1))
                .isEqualTo(bench.transport.attempted().get(0));
    }

    @Test
    void dispatchesTheRestInOrderWhenOneOfThemFailed() throws Exception {
        bench.transport.answerNext(RecordingTransport.CONFIRM, RecordingTransport.UNROUTABLE);
        bench.deliver(execution -> {
            bench.bunny.publish(new PaymentCaptured("1"));
            bench.bunny.publish(new PaymentCaptured("2"));
            bench.bunny.publish(new PaymentCaptured("3"));
        });
        assertThat(bench.transport.attempted()).hasSize(2);
        bench.deliver(execution -> {});

        assertThat(bench.runs).hasSize(1);
        assertThat(bench.transport.published())
                .extracting(message -> new String(message.message().body(), UTF_8))
                .containsExactly("{\"orderId\":\"1\"}", "{\"orderId\":\"2\"}", "{\"orderId\":\"3\"}");
    }

    @Test
    void forgetsAMessageAfterTheRetentionAndNotBefore() throws Exception {
        bench.instance.start();
        bench.deliver(execution -> {});
        bench.timeline.advance(RETENTION.minusNanos(1));
        bench.deliver(execution -> {});
        assertThat(bench.runs).hasSize(1);

        bench.timeline.advance(DedupBench.LEASE);
        bench.deliver(execution -> {});

        assertThat(bench.runs).hasSize(2);
    }

    @Test
    void tellsMessagesOfTheSameIdInOtherSagasApart() throws Exception {
        bench.deliver(execution -> {});
        bench.deliver(
                bench.instance,
                Wires.orderPlaced().with("correlation_id", "another").envelope(),
                execution -> {});

        assertThat(bench.runs).hasSize(2);
    }

    @Test
    void setsAsideAnotherMessageThatBearsTheIdOfAHandledOne() throws Exception {
        bench.deliver(execution -> {});

        assertThatExceptionOfType(InvalidMessageException.class)
                .isThrownBy(() -> bench.deliver(
                        bench.instance,
                        Wires.orderPlaced().withBody("{\"orderId\":\"o-2\"}").envelope(),
                        execution -> {}))
                .withMessageContaining(MESSAGE.id())
                .satisfies(e -> assertThat(e.reason()).isEqualTo(PoisonReason.HANDLER_FAILED));
        assertThat(bench.runs).hasSize(1);
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
    }
}
