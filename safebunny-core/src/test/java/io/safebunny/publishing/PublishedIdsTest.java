// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.Handling;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ids of what a handler publishes. */
class PublishedIdsTest {

    private final Publisher publisher = new Publisher();

    @Test
    void agreeWithTheVectorOfTheSecondStep() throws Exception {
        List<OutboundMessage> collected = publisher.handling(() -> {
            assertThat(publisher.bunny.publish(new PaymentCaptured("o-1")).messageId())
                    .isEqualTo("ac613944-97b3-874f-80a5-1fcfa19623f0");
            assertThat(publisher.bunny.publish(new PaymentCaptured("o-2")).messageId())
                    .isEqualTo("857f84d7-5eeb-82f6-be3a-0ed5a337094c");
        });

        assertThat(Publisher.ids(collected))
                .containsExactly("ac613944-97b3-874f-80a5-1fcfa19623f0", "857f84d7-5eeb-82f6-be3a-0ed5a337094c");
    }

    @Test
    void descendFromTheMessageBeingHandled() throws Exception {
        Envelope child = Publisher.read(publisher
                .handling(() -> publisher.bunny.publish(new PaymentCaptured("o-1")))
                .get(0));

        assertThat(child.correlationId()).isEqualTo(Wires.CORRELATION_ID);
        assertThat(child.causationId()).isEqualTo(Wires.ID);
        assertThat(child.marker()).isEqualTo(3);
        assertThat(child.attempt()).isZero();
    }

    @Test
    void countPerType() throws Exception {
        List<String> together = Publisher.ids(publisher.handling(() -> {
            publisher.bunny.publish(new OrderPlaced("x", 1));
            publisher.bunny.publish(new PaymentCaptured("o-1"));
            publisher.bunny.publish(new OrderPlaced("y", 1));
        }));
        List<String> alone =
                Publisher.ids(publisher.handling(() -> publisher.bunny.publish(new PaymentCaptured("o-1"))));

        assertThat(together).doesNotHaveDuplicates().element(1).isEqualTo(alone.get(0));
    }

    @Test
    void dependOnTheKeyInsteadOfTheOrder() throws Exception {
        PublishOptions a = PublishOptions.none().withIdempotencyKey("a");
        PublishOptions b = PublishOptions.none().withIdempotencyKey("b");
        List<String> oneWay = Publisher.ids(publisher.handling(() -> {
            publisher.bunny.publish(new PaymentCaptured("a"), a);
            publisher.bunny.publish(new PaymentCaptured("b"), b);
            publisher.bunny.publish(new PaymentCaptured("c"));
        }));
        List<String> otherWay = Publisher.ids(publisher.handling(() -> {
            publisher.bunny.publish(new PaymentCaptured("b"), b);
            publisher.bunny.publish(new PaymentCaptured("c"));
            publisher.bunny.publish(new PaymentCaptured("a"), a);
        }));

        assertThat(oneWay).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(otherWay);
    }

    @Test
    void areTheSameOnEveryAttempt() throws Exception {
        List<List<String>> attempts = new ArrayList<>();
        Handling handling = new Handling(publisher.current, Wires.orderPlaced().envelope());
        handling.run(() -> {
            publisher.bunny.publish(new PaymentCaptured("before the attempts"));
            for (int attempt = 0; attempt < 3; attempt++) {
                handling.attempt(() -> {
                    publisher.bunny.publish(new PaymentCaptured("1"));
                    publisher.bunny.publish(new OrderPlaced("2", 2));
                    publisher.bunny.publish(new PaymentCaptured("3"));
                    attempts.add(Publisher.ids(handling.collected()));
                });
            }
        });

        assertThat(attempts).hasSize(3).containsOnly(attempts.get(0));
        assertThat(attempts.get(0)).hasSize(4).doesNotHaveDuplicates();
    }

    @Test
    void areTheSameOnEveryDelivery() throws Exception {
        List<String> first =
                Publisher.ids(publisher.handling(() -> publisher.bunny.publish(new PaymentCaptured("o-1"))));
        Publisher elsewhere = new Publisher();
        Handling later =
                new Handling(elsewhere.current, Wires.orderPlaced().envelope().nextAttempt());
        later.run(() -> elsewhere.bunny.publish(new PaymentCaptured("o-1")));

        assertThat(Publisher.ids(later.collected())).isEqualTo(first);
    }

    @Test
    void takeTheCallersCorrelationIdIntoAccount() throws Exception {
        List<OutboundMessage> collected = publisher.handling(() -> publisher.bunny.publish(
                new PaymentCaptured("o-1"), PublishOptions.none().withCorrelationId("order-42")));

        // the vector with this correlation id
        assertThat(Publisher.ids(collected)).containsExactly("583954fa-aed1-889f-94bb-8bd08c7ba3ea");
        assertThat(Publisher.read(collected.get(0)).causationId()).isEqualTo(Wires.ID);
    }

    @Test
    void areMarkersOverTheCorrelationIdWhenThatSchemeIsChosen() throws Exception {
        Publisher masked = new Publisher(new MarkerMaskIdScheme());

        assertThat(Publisher.ids(masked.handling(() -> masked.bunny.publish(new PaymentCaptured("o-1")))))
                .containsExactly("db19dadf-39d7-4529-836d-cb89e97bfb4c");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> masked.bunny.publish(
                        new PaymentCaptured("o-1"), PublishOptions.none().withCorrelationId("order-42")))
                .withMessageContaining("safebunny.ids.scheme");
    }
}
