// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.Handling;
import io.safebunny.message.Envelope;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Publishing inside a handler. */
class CollectedPublicationsTest {

    private final Publisher publisher = new Publisher();

    @Test
    void areNotSent() throws Exception {
        List<OutboundMessage> collected = publisher.handling(() -> {
            publisher.bunny.publish(new PaymentCaptured("1"));
            CompletableFuture<Published> async = publisher.bunny.publishAsync(new PaymentCaptured("2"));
            assertThat(async)
                    .isCompletedWithValueMatching(sent -> sent.messageId().length() == 36);
        });

        assertThat(publisher.transport.attempted()).isEmpty();
        assertThat(collected).hasSize(2);
    }

    @Test
    void keepTheirDelay() throws Exception {
        assertThat(publisher.handling(() -> publisher.bunny.publish(
                        new PaymentCaptured("1"), PublishOptions.none().withDelay(Duration.ofHours(1)))))
                .extracting(OutboundMessage::delay)
                .containsExactly(Duration.ofHours(1));
    }

    @Test
    void areSentAtOnceWhenAskedTo() throws Exception {
        List<OutboundMessage> collected = publisher.handling(() -> {
            publisher.bunny.publish(new PaymentCaptured("1"));
            publisher.bunny.publishNow(new PaymentCaptured("2"));
            assertThat(publisher.transport.confirmed()).hasSize(1);
        });
        Envelope sent = publisher.onlyOne();

        assertThat(collected).hasSize(1);
        assertThat(sent.causationId()).isEqualTo(Wires.ID);
        // the second of its type
        assertThat(sent.id()).isEqualTo("857f84d7-5eeb-82f6-be3a-0ed5a337094c");
    }

    @Test
    void areNoneOfAnotherThreads() throws Exception {
        List<OutboundMessage> collected = publisher.handling(() -> {
            Thread other = new Thread(() -> publisher.bunny.publish(new PaymentCaptured("1")));
            other.start();
            other.join();
        });

        assertThat(collected).isEmpty();
        assertThat(publisher.onlyOne().causationId()).isNull();
        assertThat(publisher.onlyOne().marker()).isEqualTo(1);
    }

    @Test
    void endWithTheHandling() throws Exception {
        assertThat(publisher.handling(() -> {})).isEmpty();
        publisher.bunny.publish(new PaymentCaptured("1"));

        assertThat(publisher.onlyOne().causationId()).isNull();
    }

    @Test
    void endWithAFailedHandlingToo() {
        List<Throwable> failures = new ArrayList<>();
        try {
            publisher.handling(() -> {
                throw new IllegalStateException("failed");
            });
        } catch (Exception e) {
            failures.add(e);
        }
        publisher.bunny.publish(new PaymentCaptured("1"));

        assertThat(failures).hasSize(1);
        assertThat(publisher.onlyOne().causationId()).isNull();
    }

    @Test
    void carryTheTraceOfTheMessageBeingHandled() throws Exception {
        Handling handling = new Handling(
                publisher.current,
                Wires.orderPlaced()
                        .withHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                        .envelope());
        handling.run(() -> publisher.bunny.publish(new PaymentCaptured("1")));

        assertThat(Publisher.read(handling.collected().get(0)).trace())
                .containsEntry("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    }

    @Test
    void doNotCarryTheHeadersOfTheMessageBeingHandled() throws Exception {
        Handling handling = new Handling(
                publisher.current,
                Wires.orderPlaced().withHeader("tenant", "acme").envelope());
        handling.run(() -> publisher.bunny.publish(new PaymentCaptured("1")));

        assertThat(Publisher.read(handling.collected().get(0)).headers()).isEmpty();
    }

    @Test
    void areNotAffectedByADeadBroker() throws Exception {
        publisher.transport.answerAll(RecordingTransport.LOSE_CONNECTION);

        assertThat(publisher.handling(() -> publisher.bunny.publish(new PaymentCaptured("1"))))
                .hasSize(1);
    }
}
