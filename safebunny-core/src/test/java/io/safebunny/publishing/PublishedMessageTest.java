// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.message.Envelope;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What goes on the wire when a saga is started. */
class PublishedMessageTest {

    private final Publisher publisher = new Publisher();

    @Test
    void carriesTheWireContract() {
        String id = publisher.bunny.publish(new PaymentCaptured("o-1")).messageId();
        OutboundMessage sent = publisher.transport.confirmed().get(0);

        assertThat(sent.route()).isEqualTo(new Route.ToSubscribers("billing-PaymentCaptured"));
        assertThat(sent.delay()).isZero();
        assertThat(sent.message().messageId()).isEqualTo(id).hasSize(36);
        assertThat(sent.message().type()).isEqualTo("PaymentCaptured");
        assertThat(sent.message().appId()).isEqualTo("billing");
        assertThat(sent.message().contentType()).isEqualTo("application/json");
        assertThat(sent.message().timestamp()).isEqualTo(VirtualTimeline.START.getEpochSecond());
        assertThat(sent.message().headers())
                .containsEntry("sb-marker", 1)
                .containsEntry("sb-attempt", 0)
                .containsEntry("sb-sent-at", VirtualTimeline.START.toEpochMilli())
                .doesNotContainKey("sb-causation-id");
        assertThat(new String(sent.message().body(), StandardCharsets.UTF_8)).isEqualTo("{\"orderId\":\"o-1\"}");
    }

    @Test
    void startsASagaOfItsOwnEachTime() {
        publisher.bunny.publish(new PaymentCaptured("o-1"));
        publisher.bunny.publish(new PaymentCaptured("o-1"));

        assertThat(publisher.transport.confirmed())
                .extracting(Publisher::read)
                .extracting(Envelope::id, Envelope::correlationId)
                .doesNotHaveDuplicates();
    }

    @Test
    void startsOneSagaPerKeyHoweverOftenItIsRepeated() {
        PublishOptions key = PublishOptions.none().withIdempotencyKey("order-42");
        String first = publisher.bunny.publish(new PaymentCaptured("o-1"), key).messageId();
        String onAnotherInstance =
                new Publisher().bunny.publish(new PaymentCaptured("o-1"), key).messageId();
        publisher.bunny.publish(new PaymentCaptured("o-1"), key);

        assertThat(onAnotherInstance).isEqualTo(first);
        assertThat(publisher.transport.confirmed())
                .extracting(Publisher::read)
                .extracting(Envelope::correlationId)
                .hasSize(2)
                .allMatch(id -> id.equals(
                        Publisher.read(publisher.transport.confirmed().get(0)).correlationId()));
        assertThat(publisher
                        .bunny
                        .publish(new PaymentCaptured("o-1"), key.withIdempotencyKey("order-43"))
                        .messageId())
                .isNotEqualTo(first);
    }

    @Test
    void takesTheCallersCorrelationId() {
        publisher.bunny.publish(
                new PaymentCaptured("o-1"), PublishOptions.none().withCorrelationId("order:42"));

        assertThat(publisher.onlyOne().correlationId()).isEqualTo("order:42");
    }

    @Test
    void prefersTheCallersCorrelationIdToTheKeys() {
        publisher.bunny.publish(
                new PaymentCaptured("o-1"),
                PublishOptions.none().withIdempotencyKey("k").withCorrelationId("order:42"));

        assertThat(publisher.onlyOne().correlationId()).isEqualTo("order:42");
    }

    @Test
    void carriesHeadersAndDelay() {
        publisher.bunny.publish(
                new PaymentCaptured("o-1"),
                PublishOptions.none()
                        .withHeader("tenant", "acme")
                        .withHeader("vip", true)
                        .withDelay(Duration.ofDays(365)));

        assertThat(publisher.onlyOne().headers())
                .containsEntry("tenant", "acme")
                .containsEntry("vip", true);
        assertThat(publisher.transport.confirmed().get(0).delay()).isEqualTo(Duration.ofDays(365));
    }

    @Test
    void saysOfADelayedPublicationWhenItIsDue() {
        publisher.bunny.publish(
                new PaymentCaptured("o-1"), PublishOptions.none().withDelay(Duration.ofDays(30)));

        assertThat(publisher.onlyOne().sentAt())
                .isEqualTo(VirtualTimeline.START.plus(Duration.ofDays(30)).toEpochMilli());
    }
}
