// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.BunnyMessage;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.Handling;
import io.safebunny.store.record.RecordJson;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publications with a deadline, their own or that of their class. */
class DeadlineTest {

    private static final Instant START = VirtualTimeline.START;

    @BunnyMessage(validFor = "30s")
    record Price(String id) {}

    @BunnyMessage("Named")
    record Other(String id) {}

    @BunnyMessage(validFor = "30")
    record NoUnit(String id) {}

    @BunnyMessage(validFor = "0s")
    record Never(String id) {}

    @BunnyMessage(validFor = "-1s")
    record Negative(String id) {}

    @BunnyMessage(validFor = "300000000d")
    record TooLong(String id) {}

    @BunnyMessage(validFor = "366d")
    record MoreThanAYear(String id) {}

    @BunnyMessage(validFor = "soon")
    record Words(String id) {}

    private final Publisher publisher = new Publisher();

    private Map<String, Object> sent() {
        List<OutboundMessage> all = publisher.transport.confirmed();
        return all.get(all.size() - 1).message().headers();
    }

    private @Nullable Object deadlineOf(Object payload, PublishOptions options) {
        publisher.bunny.publish(payload, options);
        return sent().get("sb-deadline");
    }

    @Test
    void hasNoneUnlessItIsAsked() {
        assertThat(deadlineOf(new PaymentCaptured("1"), PublishOptions.none())).isNull();
        assertThat(deadlineOf(new Other("1"), PublishOptions.none())).isNull();
        assertThat(publisher.transport.confirmed())
                .extracting(sent -> sent.message().type())
                .containsExactly("PaymentCaptured", "Named");
    }

    @Test
    void thatOfItsClassCountsFromWhenItIsDue() {
        assertThat(deadlineOf(new Price("1"), PublishOptions.none()))
                .isEqualTo(START.plusSeconds(30).toEpochMilli());
        assertThat(deadlineOf(new Price("2"), PublishOptions.none().withDelay(Duration.ofHours(1))))
                .isEqualTo(START.plusSeconds(3630).toEpochMilli());
        assertThat(deadlineOf(new Price("3"), PublishOptions.none().withDeliverAt(START.plusSeconds(60))))
                .isEqualTo(START.plusSeconds(90).toEpochMilli());
        assertThat(deadlineOf(new Price("4"), PublishOptions.none().withDeliverAt(Instant.MIN)))
                .isEqualTo(START.plusSeconds(30).toEpochMilli());
    }

    @Test
    void itsOwnTakesPrecedenceAndIsRoundedDown() {
        PublishOptions options =
                PublishOptions.none().withDeadline(START.plusSeconds(7).plusNanos(1_999_999));

        assertThat(deadlineOf(new Price("1"), options))
                .isEqualTo(START.plusMillis(7_001).toEpochMilli());
        assertThat(options.deadline()).isEqualTo(START.plusSeconds(7).plusNanos(1_999_999));
        assertThat(options).isNotEqualTo(PublishOptions.none());
    }

    static List<Instant> wrong() {
        return List.of(
                Instant.MIN,
                Instant.EPOCH,
                START.minusMillis(1),
                START,
                START.plusNanos(999_999),
                START.plus(Duration.ofDays(366)),
                START.plus(Duration.ofDays(300 * 365)),
                Instant.MAX);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void isRefusedInThePastAndInAFarFuture(Instant deadline) {
        PublishOptions options = PublishOptions.none().withDeadline(deadline);

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("1"), options))
                .withMessageContaining("SB-2005")
                .withMessageContaining("Invalid deadline [type=PaymentCaptured, deadline=" + deadline)
                .withMessageContaining("Use a");
        assertThat(publisher.bunny.publishAsync(new PaymentCaptured("1"), options))
                .isCompletedExceptionally();
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    @Test
    void isRefusedBeforeItIsDue() {
        PublishOptions options =
                PublishOptions.none().withDelay(Duration.ofHours(1)).withDeadline(START.plusSeconds(60));

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured("1"), options));
    }

    @ParameterizedTest
    @ValueSource(classes = {NoUnit.class, Never.class, Negative.class, TooLong.class, MoreThanAYear.class, Words.class})
    void aClassWithAWrongOneCannotBePublished(Class<?> type) throws Exception {
        Object payload = type.getDeclaredConstructor(String.class).newInstance("1");

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> publisher.bunny.publish(payload))
                .withMessageContaining("SB-1119")
                .withMessageContaining("[class=" + type.getName() + ", validFor=");
    }

    @Test
    void whatAHandlerPublishesDoesNotInheritIt() throws Exception {
        Handling handling = new Handling(
                publisher.current,
                Wires.orderPlaced()
                        .withHeader("sb-deadline", START.plusSeconds(5).toEpochMilli())
                        .envelope());
        handling.run(() -> {
            Published unused = publisher.bunny.publish(new PaymentCaptured("1"));
        });

        assertThat(handling.collected()).singleElement().satisfies(collected -> assertThat(
                        collected.message().headers())
                .doesNotContainKey("sb-deadline"));
    }

    /** However late it is sent: only the receiver decides. */
    @Test
    void isKeptByRecordsAndTheOutbox() throws Exception {
        Handling handling = new Handling(publisher.current, Wires.orderPlaced().envelope());
        handling.run(() -> {
            Published unused = publisher.bunny.publish(new Price("1"));
        });

        OutboundMessage read = RecordJson.readOutgoing(RecordJson.writeOutgoing(handling.collected()))
                .get(0);

        assertThat(read.message().headers())
                .containsEntry("sb-deadline", START.plusSeconds(30).toEpochMilli());
    }
}
