// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.store.Outbox;
import io.safebunny.store.record.RecordJson;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Publications that name the instant of their delivery. */
class DeliverAtTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Instant DUE = VirtualTimeline.START.plus(HOUR);
    private static final PublishOptions AT = PublishOptions.none().withDeliverAt(DUE);

    private final List<OutboundMessage> stored = new ArrayList<>();
    private final Publisher publisher = new Publisher();

    private OutboundMessage sent() {
        assertThat(publisher.transport.confirmed()).hasSize(1);
        return publisher.transport.confirmed().get(0);
    }

    /** As a record or the outbox keeps it, and sends it. */
    private void send(OutboundMessage kept) {
        OutboundMessage read =
                RecordJson.readOutgoing(RecordJson.writeOutgoing(List.of(kept))).get(0);
        new ConfirmedSender(publisher.transport, publisher.timeline, Runnable::run, Publisher.TIMEOUT, 10)
                .send(read)
                .await();
    }

    @Test
    void waitUntilThen() {
        publisher.bunny.publish(new PaymentCaptured("1"), AT);

        assertThat(sent().delay()).isEqualTo(HOUR);
        assertThat(publisher.onlyOne().sentAt()).isEqualTo(DUE.toEpochMilli());
    }

    @Test
    void waitUntilThenWithoutBeingAwaited() {
        assertThat(publisher.bunny.publishAsync(new PaymentCaptured("1"), AT)).isCompleted();

        assertThat(sent().delay()).isEqualTo(HOUR);
    }

    @Test
    void areSentAtOnceWhenItHasPassed() {
        publisher.bunny.publish(new PaymentCaptured("1"), AT.withDeliverAt(Instant.MIN));
        publisher.bunny.publish(new PaymentCaptured("2"), AT.withDeliverAt(VirtualTimeline.START));

        assertThat(publisher.transport.confirmed())
                .extracting(OutboundMessage::delay)
                .containsExactly(Duration.ZERO, Duration.ZERO);
        assertThat(publisher.transport.confirmed())
                .extracting(message -> Publisher.read(message).sentAt())
                .containsOnly(VirtualTimeline.START.toEpochMilli());
    }

    @Test
    void areNeverEarly() {
        publisher.bunny.publish(new PaymentCaptured("1"), AT.withDeliverAt(DUE.plusNanos(1)));

        assertThat(sent().delay()).isEqualTo(HOUR.plusMillis(1));
    }

    @Test
    void theLaterCallDecides() {
        assertThat(AT.withDelay(MINUTE)).isEqualTo(PublishOptions.none().withDelay(MINUTE));
        assertThat(PublishOptions.none().withDelay(MINUTE).withDeliverAt(DUE)).isEqualTo(AT);
        assertThat(AT.withDeliverAt(Instant.MAX).withDeliverAt(DUE)).isEqualTo(AT);
        assertThat(AT).isNotEqualTo(PublishOptions.none());
        assertThat(AT.withCorrelationId("c")
                        .withIdempotencyKey("k")
                        .withHeader("a", 1)
                        .deliverAt())
                .isEqualTo(DUE);
    }

    @Test
    void ofAHandlerArriveThenHoweverLateTheyAreSent() throws Exception {
        List<OutboundMessage> collected =
                publisher.handling(() -> publisher.bunny.publish(new PaymentCaptured("1"), AT));
        publisher.timeline.advance(HOUR.minus(MINUTE));
        send(collected.get(0));

        assertThat(sent().delay()).isEqualTo(MINUTE);
    }

    @Test
    void ofATransactionArriveThenHoweverLateTheyAreSent() {
        Outbox outbox = new Outbox() {
            @Override
            public List<Unsent> findCorrelated(String correlationId, int limit) {
                return List.of();
            }

            @Override
            public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
                return List.of();
            }

            @Override
            public boolean add(OutboundMessage message) {
                return stored.add(message);
            }

            @Override
            public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

            @Override
            public void stop() {}
        };
        new Publisher(new LineageIdScheme(), outbox).bunny.publish(new PaymentCaptured("1"), AT);
        publisher.timeline.advance(HOUR.plus(MINUTE));
        send(stored.get(0));

        assertThat(sent().delay()).isZero();
    }

    @Test
    void areNotDelayedByLostConnections() {
        publisher.transport.answerNext(RecordingTransport.LOSE_CONNECTION);
        publisher.bunny.publish(new PaymentCaptured("1"), AT);

        assertThat(sent().delay())
                .isEqualTo(Duration.between(publisher.timeline.now(), DUE))
                .isLessThan(HOUR);
    }

    @Test
    void areRefusedWhenNobodyCanKeepThem() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(
                        new PaymentCaptured("1"),
                        AT.withDeliverAt(
                                VirtualTimeline.START.plus(Duration.ofDays(365)).plusNanos(1))))
                .withMessageContaining("Invalid instant of delivery");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("1"), AT.withDeliverAt(Instant.MAX)))
                .withMessageContaining("Invalid instant of delivery");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(
                        new PaymentCaptured("1"),
                        AT.withDeliverAt(Instant.EPOCH).droppedIfUnheard()))
                .withMessageContaining("droppedIfUnheard()");
    }
}
