// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.Wires;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeReaderTest {

    @Test
    void readsWhatAPublisherOfOursWrote() {
        Envelope envelope = EnvelopeReader.read(Wires.orderPlaced()
                .withHeader("tenant", "acme")
                .withHeader("x-death", "no")
                .wire());

        assertThat(envelope.id()).isEqualTo(Wires.ID);
        assertThat(envelope.correlationId()).isEqualTo(Wires.CORRELATION_ID);
        assertThat(envelope.type()).isEqualTo("OrderPlaced");
        assertThat(envelope.node()).isEqualTo("orders");
        assertThat(envelope.marker()).isEqualTo(2);
        assertThat(envelope.attempt()).isZero();
        assertThat(envelope.causationId()).isEqualTo("90f3d545-9f08-80e0-b601-fd45153ed819");
        assertThat(envelope.sentAt()).isEqualTo(1_767_225_600_000L);
        assertThat(envelope.headers()).containsOnlyKeys("tenant");
    }

    @Test
    void givesAForeignMessageWithTheThreePropertiesDefaults() {
        Envelope envelope = Wires.orderPlaced()
                .withoutHeaders()
                .with("app_id", null)
                .with("timestamp", null)
                .with("content_type", null)
                .envelope();

        assertThat(envelope.marker()).isEqualTo(1);
        assertThat(envelope.attempt()).isZero();
        assertThat(envelope.causationId()).isNull();
        assertThat(envelope.sentAt()).isZero();
        assertThat(envelope.node()).isEmpty();
        assertThat(envelope.contentType()).isEqualTo("application/json");
        assertThat(envelope.trace()).isEmpty();
    }

    @Test
    void takesTheTimestampWhenThereAreNoMilliseconds() {
        assertThat(Wires.orderPlaced()
                        .withoutHeaders()
                        .with("timestamp", 1_700_000_000L)
                        .envelope()
                        .sentAt())
                .isEqualTo(1_700_000_000_000L);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 1000 + 1, -1, Long.MIN_VALUE, 0})
    void ignoresATimestampThatIsNoTime(long seconds) {
        assertThat(Wires.orderPlaced()
                        .withoutHeaders()
                        .with("timestamp", seconds)
                        .envelope()
                        .sentAt())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "order:4711", "urn:x.y-z_1"})
    void takesForeignIds(String id) {
        assertThat(Wires.orderPlaced().with("message_id", id).envelope().id()).isEqualTo(id);
        assertThat(Wires.orderPlaced().with("correlation_id", id).envelope().correlationId())
                .isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Not A Node", "", "n\nn"})
    void dropsAnUnusablePublisherName(String appId) {
        assertThat(Wires.orderPlaced().with("app_id", appId).envelope().node()).isEmpty();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"utf-8", "UTF-8", "identity"})
    void takesPlainBodies(String encoding) {
        assertThat(Wires.orderPlaced()
                        .with("content_encoding", encoding)
                        .envelope()
                        .body())
                .isNotEmpty();
    }

    @Test
    void takesAllIntegerKindsOfTheWire() {
        assertThat(Wires.orderPlaced()
                        .withHeader("sb-attempt", (byte) 3)
                        .envelope()
                        .attempt())
                .isEqualTo(3);
        assertThat(Wires.orderPlaced()
                        .withHeader("sb-attempt", (short) 3)
                        .envelope()
                        .attempt())
                .isEqualTo(3);
        assertThat(Wires.orderPlaced().withHeader("sb-attempt", 3L).envelope().attempt())
                .isEqualTo(3);
    }

    @Test
    void doesNotTakeTheLibrarysHeadersInAnotherCase() {
        assertThat(Wires.orderPlaced()
                        .withoutHeaders()
                        .withHeader("SB-Attempt", 7)
                        .envelope()
                        .attempt())
                .isZero();
    }
}
