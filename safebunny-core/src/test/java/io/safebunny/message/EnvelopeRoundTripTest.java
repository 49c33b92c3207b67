// SPDX-License-Identifier: Apache-2.0
package io.safebunny.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.Wires;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvelopeRoundTripTest {

    private final Envelope envelope = Wires.orderPlaced()
            .withHeader("tenant", "acme")
            .withHeader("vip", true)
            .withHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .envelope();

    @Test
    void readsBackWhatItWrote() {
        assertThat(EnvelopeReader.read(envelope.toWire())).isEqualTo(envelope);
    }

    @Test
    void readsBackAnUndo() {
        Envelope undo = Wires.orderPlaced().withHeader("sb-undoes", "a-step").envelope();

        assertThat(undo.undoes()).isEqualTo("a-step");
        assertThat(EnvelopeReader.read(undo.toWire())).isEqualTo(undo);
        assertThat(undo.nextAttempt().withBody(undo.body())).isEqualTo(undo.nextAttempt());
        assertThat(EnvelopeReader.read(undo.nextAttempt().toWire())).isEqualTo(undo.nextAttempt());
        assertThat(undo.toCopyOf(Wires.orderPlaced().wire()).headers()).containsEntry("sb-undoes", "a-step");
    }

    @Test
    void readsBackAForeignMessage() {
        Envelope foreign = Wires.orderPlaced()
                .withoutHeaders()
                .with("app_id", null)
                .with("timestamp", null)
                .envelope();

        assertThat(EnvelopeReader.read(foreign.toWire())).isEqualTo(foreign);
        assertThat(foreign.toWire().appId()).isNull();
        assertThat(foreign.toWire().timestamp()).isNull();
        assertThat(foreign.toWire().headers()).isEqualTo(Map.of("sb-marker", 1, "sb-attempt", 0));
    }

    @Test
    void countsTheNextAttemptAndChangesNothingElse() {
        WireMessage next = envelope.nextAttempt().toWire();

        assertThat(next.headers()).containsEntry("sb-attempt", 1);
        assertThat(next.messageId()).isEqualTo(Wires.ID);
        assertThat(next.body()).isSameAs(envelope.body());
        assertThat(EnvelopeReader.read(next)).isEqualTo(envelope.nextAttempt());
        assertThat(envelope.nextAttempt().nextAttempt().attempt()).isEqualTo(2);
    }

    @Test
    void writesTheTimestampInSecondsAndTheHeaderInMilliseconds() {
        WireMessage wire = envelope.toWire();

        assertThat(wire.timestamp()).isEqualTo(1_767_225_600L);
        assertThat(wire.headers()).containsEntry("sb-sent-at", 1_767_225_600_000L);
    }

    @Test
    void writesNoHeaderOfAnotherLibraryThatCameIn() {
        Envelope hostile = Wires.orderPlaced()
                .withHeader("CC", "elsewhere")
                .withHeader("x-death", "a")
                .withHeader("__TypeId__", "java.lang.Runtime")
                .withHeader("sb-poison-reason", "too-old")
                .envelope();

        assertThat(hostile.toWire().headers())
                .containsOnlyKeys("sb-marker", "sb-attempt", "sb-causation-id", "sb-sent-at");
    }

    @Test
    void printsNeitherBodyNorHeaders() {
        Envelope secret = Wires.orderPlaced()
                .withHeader("token", "s3cret")
                .withBody("{\"orderId\":\"s3cret\"}")
                .envelope();

        assertThat(secret.toString()).contains("OrderPlaced", Wires.ID).doesNotContain("s3cret");
        assertThat(secret.toWire().toString()).contains("OrderPlaced", Wires.ID).doesNotContain("s3cret");
    }
}
