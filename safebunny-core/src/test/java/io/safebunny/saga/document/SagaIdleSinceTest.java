// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.message.WireMessage;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.SagaBlocks.Block;
import io.safebunny.saga.document.SagaHistory.SetAside;
import io.safebunny.saga.document.SagaHistory.Took;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A repair leaves a saga idle only while nothing else is known to happen to it. */
class SagaIdleSinceTest {

    private static final Instant NOW = Instant.EPOCH;
    private static final BlockedOn BLOCKED = new BlockedOn("m-1", "Capture", "billing", "handler-failed");
    private static final String SKIP = "SKIP: by hand";
    private static final String RESUME = "RESUME: it can do without";

    private final SagaDocument saga = SagaDocument.start("Order", "o-1", NOW);

    private @Nullable String idleSince() {
        SagaView.Event since = saga.view("shop").idleSince();
        return since == null ? null : since.what();
    }

    private String listed() {
        return Objects.requireNonNull(saga.write(null, "owner", NOW, NOW).listing())
                .status();
    }

    private void sent(String command) {
        WireMessage wire = new WireMessage(
                command, "o-1", "Do", "shop", 1L, "application/json", null, Map.of(), new byte[] {'{', '}'});
        OutboundMessage message = new OutboundMessage(wire, new Route.ToSubscribers("shop-Do"), Duration.ZERO);
        saga.steps().put(new SagaStep(command, StepStatus.SENT, message, null, null));
    }

    private void resumedWithout(@Nullable String answeredCommand) {
        saga.stickOn("answer", answeredCommand);
        saga.giveUp();
        saga.unstick();
        saga.note(NOW, RESUME);
    }

    private void took() {
        saga.note(NOW, new Took("Done", "m-1").words());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ACTIVE")
    void neverIfItIsNotActive(SagaStatus status) {
        saga.note(NOW, SKIP);
        assertThat(idleSince()).isEqualTo(SKIP);
        assertThat(listed()).isEqualTo(SagaDocument.BLOCKED);

        saga.become(status);

        assertThat(idleSince()).isNull();
        assertThat(listed()).isEqualTo(status.name());
        Object unused = saga.blocks().put(new Block(BLOCKED, 1, 0, false));
        assertThat(listed()).isEqualTo(status.name());
    }

    /** That has its own repair. */
    @Test
    void notWhileSomethingIsSetAside() {
        saga.note(NOW, SKIP);
        saga.note(NOW, new SetAside(BLOCKED).words());
        Object unused = saga.blocks().put(new Block(BLOCKED, 1, 0, false));
        assertThat(idleSince()).isNull();
        assertThat(listed()).isEqualTo(SagaDocument.BLOCKED);

        saga.blocks().remove("m-1");

        assertThat(idleSince()).isEqualTo(SKIP);
    }

    @Test
    void anAnswerThatWasGivenUpIsNotWaitedFor() {
        sent("pay");
        sent("pack");
        resumedWithout("pay");

        took();
        assertThat(idleSince()).as("pack is not answered").isNull();

        saga.steps().answered("pack", "stock", NOW);
        assertThat(idleSince()).isEqualTo(RESUME);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "another")
    void noAnswerIsGivenUpIfTheMessageIsNotKnownToBeOne(@Nullable String answered) {
        sent("pay");
        resumedWithout(answered);

        took();

        assertThat(idleSince()).isNull();
    }
}
