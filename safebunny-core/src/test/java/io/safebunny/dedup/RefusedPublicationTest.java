// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import static io.safebunny.dedup.DedupBench.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.dispatch.WaitingPublications;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.store.record.RecordState;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handled message is handled, whatever becomes of what it published: that waits in its record, and is seen. */
class RefusedPublicationTest {

    private final DedupBench bench = new DedupBench();

    private static RecordingTransport.Answer answer(String name) {
        return switch (name) {
            case "nack" -> RecordingTransport.NACK;
            case "unroutable" -> RecordingTransport.UNROUTABLE;
            default -> RecordingTransport.BROKEN;
        };
    }

    private double waiting() {
        return bench.meters.get("safebunny.dispatch.waiting").gauge().value();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nack", "unroutable", "broken"})
    void leavesItsMessageHandled(String refusal) throws Exception {
        bench.transport.answerAll(answer(refusal));

        bench.deliver(execution -> bench.publish());

        assertThat(bench.stored().state()).isEqualTo(RecordState.COMPLETED);
        assertThat(waiting()).isEqualTo(1);
        assertThat(bench.instance.waiting())
                .isEqualTo(new WaitingPublications(1, VirtualTimeline.START, Map.of("billing-PaymentCaptured", 1)));
    }

    @Test
    void letsADuplicateOfItsMessageBeAcknowledged() throws Exception {
        bench.transport.answerAll(RecordingTransport.UNROUTABLE);
        bench.deliver(execution -> bench.publish());

        bench.deliver(execution -> bench.publish());
        bench.deliver(execution -> bench.publish());

        assertThat(bench.runs).hasSize(1);
        assertThat(waiting()).isEqualTo(1);
    }

    @Test
    void isSentByItselfWhenSomebodyConsumesItAndIsNotSeenAnyMore() throws Exception {
        bench.transport.answerAll(RecordingTransport.UNROUTABLE);
        bench.instance.start();
        bench.deliver(execution -> bench.publish());
        bench.timeline.advance(LEASE.multipliedBy(10));
        assertThat(bench.transport.published()).isEmpty();
        assertThat(waiting()).isEqualTo(1);

        bench.transport.answerAll(RecordingTransport.CONFIRM);
        bench.timeline.advance(LEASE.multipliedBy(3));

        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.stored().state()).isEqualTo(RecordState.DISPATCHED);
        assertThat(waiting()).isZero();
        assertThat(bench.instance.waiting()).isEqualTo(new WaitingPublications(0, null, Map.of()));
    }

    /** An earlier sending of it may have been handled, and be forgotten by now: its receivers decide by its age. */
    @Test
    void keepsTheTimeOfItsPublishingHoweverLateItIsSent() throws Exception {
        bench.transport.answerAll(RecordingTransport.UNROUTABLE);
        bench.instance.start();
        bench.deliver(execution -> bench.publish());
        bench.timeline.advance(DedupBench.RETENTION.plus(LEASE));
        bench.transport.answerAll(RecordingTransport.CONFIRM);
        bench.timeline.advance(LEASE.multipliedBy(3));

        assertThat(bench.transport.published()).singleElement().satisfies(message -> assertThat(
                        message.message().headers())
                .containsEntry("sb-sent-at", VirtualTimeline.START.toEpochMilli()));
    }

    @Test
    void holdsBackThoseBehindItAndLetsThoseBeforeItGoOnce() throws Exception {
        bench.transport.answerAll(message -> message.route().routingKey().equals("billing-PaymentCaptured")
                ? RecordingTransport.UNROUTABLE.apply(message)
                : RecordingTransport.CONFIRM.apply(message));
        bench.instance.start();
        bench.deliver(execution -> {
            bench.bunny.publish(new OrderPlaced("before", 1));
            bench.bunny.publish(new PaymentCaptured("refused"));
            bench.bunny.publish(new OrderPlaced("behind", 1));
        });
        bench.timeline.advance(LEASE.multipliedBy(10));
        assertThat(bench.transport.published()).hasSize(1);

        bench.transport.answerAll(RecordingTransport.CONFIRM);
        bench.timeline.advance(LEASE.multipliedBy(3));

        assertThat(bench.transport.published())
                .extracting(message -> message.message().type())
                .containsExactly("OrderPlaced", "PaymentCaptured", "OrderPlaced");
    }

    /** A queue that is just losing its leader refuses for a moment: no lease is waited for. */
    @Test
    void isRepeatedForASecondWhenTheBrokerSaysNo() throws Exception {
        bench.transport.answerNext(RecordingTransport.NACK, RecordingTransport.NACK);

        bench.deliver(execution -> bench.publish());

        assertThat(bench.transport.published()).hasSize(1);
        assertThat(bench.timeline.elapsed().toMillis()).isEqualTo(1_000);
    }

    @Test
    void isForgottenWhenAnotherInstanceHasIt() throws Exception {
        Deduplication other = bench.instance();
        bench.transport.answerAll(RecordingTransport.UNROUTABLE);
        bench.deliver(execution -> bench.publish());
        bench.instance.start();
        bench.transport.answerAll(RecordingTransport.CONFIRM);
        bench.deliver(other, DedupBench.MESSAGE, execution -> {});
        assertThat(bench.instance.waiting().messages()).isEqualTo(1);

        bench.timeline.advance(LEASE.multipliedBy(6));

        assertThat(bench.instance.waiting().messages()).isZero();
    }

    @Test
    void comesBackWithItsMessageWhenItIsUnknownWhetherTheBrokerHasIt() {
        bench.transport.answerAll(RecordingTransport.SILENCE);

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> bench.publish()))
                .satisfies(e -> assertThat(e.isTrouble()).isTrue());
        assertThat(waiting()).isZero();
    }

    @Test
    void comesBackWithItsMessageWhenThereIsNoMemoryToSendIt() {
        bench.transport.answerNext(message -> {
            throw new OutOfMemoryError("unable to create native thread");
        });

        assertThatExceptionOfType(NotHandledException.class)
                .isThrownBy(() -> bench.deliver(execution -> bench.publish()));
        assertThat(bench.stored().state()).isEqualTo(RecordState.COMPLETED);
    }
}
