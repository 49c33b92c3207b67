// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static io.safebunny.fixture.RecordingTransport.BROKEN;
import static io.safebunny.fixture.RecordingTransport.CONFIRM;
import static io.safebunny.fixture.RecordingTransport.LOSE_CONNECTION;
import static io.safebunny.fixture.RecordingTransport.NACK;
import static io.safebunny.fixture.RecordingTransport.SILENCE;
import static io.safebunny.fixture.RecordingTransport.UNROUTABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.Published;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.PublishException;
import io.safebunny.failure.PublishTimeoutException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport.Answer;
import io.safebunny.time.Deadline;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ConfirmedSenderTest {

    private final Publisher publisher = new Publisher();

    @Test
    void sendsAgainWithTheSameIdAfterALostConnection() {
        publisher.transport.answerNext(LOSE_CONNECTION, LOSE_CONNECTION, CONFIRM);
        String id = publisher.bunny.publish(new PaymentCaptured("o-1")).messageId();

        assertThat(Publisher.ids(publisher.transport.attempted())).containsExactly(id, id, id);
        assertThat(new HashSet<>(publisher.transport.attempted())).hasSize(1);
        // after 50 to 100 ms, then after 100 to 200 ms
        assertThat(publisher.timeline.elapsed()).isBetween(Duration.ofMillis(150), Duration.ofMillis(300));
    }

    /** Otherwise messages that were lost together would come back together, and those among them that are too many would be lost again. */
    @Test
    void spreadsTheRetriesOfWhatWasLostTogether() {
        publisher.transport.answerNext(Collections.nCopies(100, LOSE_CONNECTION).toArray(Answer[]::new));
        List<Duration> confirmedAfter = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Void> unused = publisher
                    .bunny
                    .publishAsync(new PaymentCaptured("o-" + i))
                    .thenRun(() -> confirmedAfter.add(publisher.timeline.elapsed()));
        }
        publisher.timeline.advance(Duration.ofSeconds(1));

        assertThat(confirmedAfter)
                .hasSize(100)
                .allSatisfy(after -> assertThat(after).isBetween(Duration.ofMillis(50), Duration.ofMillis(100)))
                .anySatisfy(after -> assertThat(after).isLessThan(Duration.ofMillis(60)))
                .anySatisfy(after -> assertThat(after).isGreaterThan(Duration.ofMillis(90)));
    }

    @Test
    void givesUpALostConnectionAtTheTimeout() {
        publisher.transport.answerAll(LOSE_CONNECTION);

        assertThatExceptionOfType(ConnectionLostException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1")))
                .satisfies(ConfirmedSenderTest::namesItsPublication);
        // at 0, 0.1, 0.3, 0.7, 1.2 s or earlier, and from then on every half a second or more often
        assertThat(publisher.transport.attempted()).hasSizeBetween(12, 24);
        assertThat(publisher.timeline.elapsed()).isEqualTo(Publisher.TIMEOUT);
    }

    @Test
    void doesNotSendAgainWhatWasRefused() {
        publisher.transport.answerNext(NACK, UNROUTABLE);

        assertThatExceptionOfType(NackedException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1")))
                .satisfies(ConfirmedSenderTest::namesItsPublication);
        assertThatExceptionOfType(UnroutableException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1")))
                .satisfies(ConfirmedSenderTest::namesItsPublication);
        assertThat(publisher.transport.attempted()).hasSize(2);
        assertThat(publisher.timeline.elapsed()).isZero();
    }

    @Test
    void doesNotWaitForEverForATransportThatSaysNothing() {
        publisher.transport.answerAll(SILENCE);

        assertThatExceptionOfType(PublishTimeoutException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1")))
                .satisfies(ConfirmedSenderTest::namesItsPublication)
                .withMessageContaining("after 5000 ms");
        assertThat(publisher.transport.attempted()).hasSize(1);
        assertThat(publisher.timeline.elapsed()).isEqualTo(Publisher.TIMEOUT.plusSeconds(1));
    }

    @Test
    void takesNoLongerThanTheTimeoutAndASecondWhenTheLastOfManyAttemptsIsNotAnswered() {
        publisher.transport.answerNext(
                LOSE_CONNECTION, LOSE_CONNECTION, LOSE_CONNECTION, LOSE_CONNECTION, LOSE_CONNECTION, SILENCE);

        assertThatExceptionOfType(PublishException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1")));
        assertThat(publisher.timeline.elapsed()).isLessThanOrEqualTo(Publisher.TIMEOUT.plusSeconds(1));
    }

    @Test
    void givesEachAttemptWhatTheOthersHaveLeftOfTheTimeout() {
        publisher.transport.answerNext(LOSE_CONNECTION, LOSE_CONNECTION, CONFIRM);
        publisher.bunny.publish(new PaymentCaptured("o-1"));

        List<Duration> left = publisher.transport.timeLeft();
        assertThat(left).hasSize(3);
        assertThat(left.get(0)).isEqualTo(Publisher.TIMEOUT);
        assertThat(left.get(1)).isBetween(Publisher.TIMEOUT.minusMillis(100), Publisher.TIMEOUT.minusMillis(50));
        assertThat(left.get(2)).isEqualTo(Publisher.TIMEOUT.minus(publisher.timeline.elapsed()));
    }

    @Test
    void endsALaterAttemptToo() {
        publisher.transport.answerNext(LOSE_CONNECTION, BROKEN);
        CompletableFuture<Published> sent = publisher.bunny.publishAsync(new PaymentCaptured("o-1"));
        publisher.timeline.advance(Duration.ofSeconds(1));

        assertThat(sent).isCompletedExceptionally();
    }

    @Test
    void boundsWhatWaitsForAConnection() {
        publisher.transport.answerAll(LOSE_CONNECTION);
        ConfirmedSender sender = sender(Duration.ofMillis(300), 2);
        OutboundMessage message = publisher.message();
        CompletableFuture<Void> first = sender.send(message);
        CompletableFuture<Void> second = sender.send(message);

        assertThat(sender.send(message, Deadline.after(Duration.ofMillis(50), publisher.timeline)))
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withMessageContaining("safebunny.publisher.max-in-flight");
        assertThat(first).isNotDone();
        publisher.timeline.advance(Duration.ofMillis(300));
        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(sender.send(message)).isNotDone();
    }

    @Test
    void forgetsWhatLosesItsConnectionAfterItsTimeout() {
        CompletableFuture<Void> late = new CompletableFuture<>();
        publisher.transport.answerNext(LOSE_CONNECTION, message -> late);
        OutboundMessage message = publisher.message();
        CompletableFuture<Void> sent = sender(Duration.ofSeconds(2), 10).send(message);
        publisher.timeline.advance(Duration.ofSeconds(3));
        assertThat(sent).isCompletedExceptionally();
        int pending = publisher.timeline.pending();

        late.completeExceptionally(new ConnectionLostException(message.publication(), "cut", null));

        assertThat(publisher.timeline.pending()).isEqualTo(pending);
        assertThat(publisher.transport.attempted()).hasSize(2);
    }

    @Test
    void endsWhatWaitsForAConnectionWhenStopped() {
        publisher.transport.answerAll(LOSE_CONNECTION);
        ConfirmedSender sender = sender(Duration.ofSeconds(5), 10);
        CompletableFuture<Void> waiting = sender.send(publisher.message());
        sender.stop();

        assertThat(waiting).isCompletedExceptionally();
        assertThat(sender.send(publisher.message())).isCompletedExceptionally();
    }

    private ConfirmedSender sender(Duration timeout, int maxInFlight) {
        return new ConfirmedSender(publisher.transport, publisher.timeline, Runnable::run, timeout, maxInFlight);
    }

    @Test
    void keepsTheInterruptOfItsThread() {
        publisher.transport.answerAll(SILENCE);
        Thread.currentThread().interrupt();
        try {
            assertThatExceptionOfType(PublishTimeoutException.class)
                    .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("o-1")))
                    .withMessageContaining("interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void sendsInOrderAndStopsAtTheFirstFailure() throws Exception {
        List<OutboundMessage> three = publisher.handling(() -> {
            for (int i = 0; i < 3; i++) {
                publisher.bunny.publish(new PaymentCaptured("o-" + i));
            }
        });
        publisher.transport.answerNext(CONFIRM, NACK);
        ConfirmedSender sender =
                new ConfirmedSender(publisher.transport, publisher.timeline, Runnable::run, Publisher.TIMEOUT, 1_000);

        assertThatExceptionOfType(NackedException.class).isThrownBy(() -> sender.sendInOrder(three));
        assertThat(publisher.transport.attempted()).isEqualTo(three.subList(0, 2));
    }

    private static void namesItsPublication(PublishException e) {
        assertThat(e.type()).isEqualTo("PaymentCaptured");
        assertThat(e.routingKey()).isEqualTo("billing-PaymentCaptured");
        assertThat(e.messageId()).hasSize(36);
        assertThat(e.getMessage())
                .startsWith(e.code())
                .contains(e.type(), e.routingKey(), e.messageId())
                .doesNotContain("o-1");
    }
}
