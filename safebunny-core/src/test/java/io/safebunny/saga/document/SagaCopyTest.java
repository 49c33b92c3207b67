// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaTimeouts.Timeout;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SagaCopyTest {

    private static final Instant STUCK_AT = Instant.parse("2026-03-01T10:00:00Z");
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final String STATE = "{\"order\":\"7\",\"price\":1.50}";

    private final SagaDocument saga = SagaDocument.start("Orders", "order-7", STUCK_AT.minusSeconds(60));

    private String copy() {
        return Objects.requireNonNull(
                saga.write(null, "owner", STUCK_AT, STUCK_AT).steps().get(SagaDocument.CONTENT));
    }

    private SagaDocument read(String copy) {
        return SagaCopy.read("Orders", "order-8", copy, NOW);
    }

    private void hasState() {
        StoredStates.of(Map.class).replace(saga, StoredStates.of(Map.class).parsed(STATE));
    }

    private static OutboundMessage message(String type, String body) {
        WireMessage wire = new WireMessage(
                "id-" + type,
                "order-7",
                type,
                "orders",
                1L,
                "application/json",
                null,
                Map.of("tenant", "acme", Headers.SENT_AT, 5L),
                body.getBytes(StandardCharsets.UTF_8));
        return new OutboundMessage(wire, new Route.ToSubscribers("orders-" + type), Duration.ZERO);
    }

    @Test
    void aStoredSagaBecomesAnother() {
        hasState();
        saga.note(STUCK_AT, "took Paid");
        saga.stickOn("message-1", "command-1");

        SagaDocument read = read(copy());

        assertThat(read.id()).isEqualTo("order-8");
        assertThat(read.view("shop").state()).isEqualTo(STATE);
        assertThat(read.status()).isEqualTo(SagaStatus.STUCK);
        assertThat(read.stuckOn()).isEqualTo("message-1");
        assertThat(read.history()).hasSize(1);
        assertThat(SagaCopy.changedAt(copy())).isEqualTo(STUCK_AT);
    }

    @Test
    void allItsTimesAreMoved() {
        saga.timeouts().put("at", new Timeout("token", STUCK_AT.plusSeconds(90), STUCK_AT.plusSeconds(80)));
        SagaStep step = new SagaStep("pay", StepStatus.SENT, message("Capture", "{}"), message("Refund", "{}"), null);
        saga.steps().put(step);
        saga.steps().put(step.undoing(STUCK_AT.minusSeconds(5)));
        saga.blocks().put(new Block(new BlockedOn("m-1", "Capture", "billing", "handler-failed"), 3, 0, false));
        saga.blocks()
                .put(new Block(
                        new BlockedOn("m-2", "Capture", "billing", "handler-failed"),
                        3,
                        STUCK_AT.minusSeconds(4).toEpochMilli(),
                        false));

        SagaDocument read = read(copy());

        assertThat(read.view("shop").changedAt()).isEqualTo(NOW);
        assertThat(read.view("shop").startedAt()).isEqualTo(NOW.minusSeconds(60));
        assertThat(read.timeouts().all())
                .containsExactly(Map.entry("at", new Timeout("token", NOW.plusSeconds(90), NOW.plusSeconds(80))));
        assertThat(Objects.requireNonNull(read.steps().find("pay")).undoSentAt())
                .isEqualTo(NOW.minusSeconds(5));
        assertThat(read.blocks().all())
                .extracting(Block::setAsideAt)
                .containsExactly(0L, NOW.minusSeconds(4).toEpochMilli());
    }

    @Test
    void timesInTheStateAreTheApplications() {
        StoredStates.of(Map.class).replace(saga, StoredStates.of(Map.class).parsed("{\"changedAt\":5,\"due\":7}"));

        assertThat(read(copy()).view("shop").state()).isEqualTo("{\"changedAt\":5,\"due\":7}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no JSON",
                "[]",
                "{}",
                "{\"format\":2,\"status\":\"ACTIVE\"}",
                "{\"format\":1}",
                "{\"format\":1,\"status\":\"LOST\"}"
            })
    void whatIsNoSagaIsRefused(String json) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> read(json))
                .withMessageContaining("not a stored saga")
                .withMessageContaining("Use the JSON");
    }
}
