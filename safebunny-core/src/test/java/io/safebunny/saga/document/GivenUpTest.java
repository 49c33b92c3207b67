// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** With the message that a saga is resumed without, only the command that it answers is given up. */
class GivenUpTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final SagaDocument saga = SagaDocument.start("Order", "o-1", NOW);

    GivenUpTest() {
        WireMessage command = new WireMessage(
                "command-1", "o-1", "Capture", "orders", 1L, "application/json", null, Map.of(), new byte[0]);
        OutboundMessage sent = new OutboundMessage(command, new Route.ToSubscribers("orders-Capture"), Duration.ZERO);
        saga.steps().put(new SagaStep("capture", StepStatus.SENT, sent, null, null));
    }

    private static @Nullable Event resumed(SagaDocument saga) {
        saga.giveUp();
        saga.unstick();
        saga.note(NOW, new Repaired(Action.RESUME, "why").words());
        saga.note(NOW, new Took("Wish", "m-9").words());
        return saga.view("orders").idleSince();
    }

    @Test
    void theCommandThatItAnswers() {
        saga.stickOn("m-1", "command-1");

        assertThat(Objects.requireNonNull(resumed(saga)).what()).isEqualTo("RESUME: why");
    }

    @Test
    void noneIfItIsNotKnownWhichOne() {
        saga.stickOn("m-1", null);

        assertThat(resumed(saga)).isNull();
    }

    /** An older version has made the saga stuck again, and knows nothing of the cause that it leaves. */
    @Test
    void noneIfTheCauseIsThatOfAnEarlierMessage() {
        saga.stickOn("m-1", "command-1");
        MessageRecord stored = saga.write(null, "m-1", NOW, NOW);
        String json = Objects.requireNonNull(stored.steps().get(SagaDocument.CONTENT));
        String again = json.replace("\"stuckOn\":\"m-1\"", "\"stuckOn\":\"m-2\"");
        assertThat(again).isNotEqualTo(json);

        SagaDocument read = SagaDocument.read(
                "Order",
                MessageRecord.companion(
                        SagaDocument.key("Order", "o-1"),
                        "m-2",
                        Objects.requireNonNull(stored.listing()),
                        Map.of(SagaDocument.CONTENT, again)));

        assertThat(read.stuckOn()).isEqualTo("m-2");
        assertThat(resumed(read)).isNull();
    }
}
