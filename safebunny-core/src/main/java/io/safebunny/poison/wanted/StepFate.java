// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.wanted;

import io.safebunny.message.Names;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.saga.document.BunnyRepair.Action;
import io.safebunny.saga.document.SagaDocument;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Repaired;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a saga knows of one of its steps. Immutable.
 *
 * @param saga name and id of the saga
 * @param sentAgainAt when an operator last had the saga send again what it was blocked on, by its node's clock; {@code null} if nobody has,
 *     as far as its history reaches
 */
public record StepFate(
        String saga,
        SagaStatus status,
        String step,
        StepStatus stepStatus,
        @Nullable Instant sentAgainAt) {

    private static final String AGAIN = "sentAgainAt";

    /** @return {@code null} if the saga has no such step */
    static @Nullable StepFate of(SagaDocument saga, StepMessage message) {
        return saga.steps().all().stream()
                .filter(step -> step.messageId().equals(message.command()))
                .findFirst()
                .map(step -> new StepFate(
                        saga.saga() + ' ' + saga.id(),
                        saga.status(),
                        Names.printable(step.name()),
                        step.status(),
                        sentAgainAt(saga)))
                .orElse(null);
    }

    private static @Nullable Instant sentAgainAt(SagaDocument saga) {
        return saga.history().stream()
                .filter(event -> Happening.of(event) instanceof Repaired repaired
                        && (repaired.action() == Action.RETRY || repaired.action() == Action.RESUME))
                .reduce((earlier, later) -> later)
                .map(Event::at)
                .orElse(null);
    }

    /** Whether the saga wants the command, or the undo, of the step. */
    public Wish wish(boolean isUndo) {
        return Wish.of(status, stepStatus, isUndo);
    }

    void writeTo(ObjectNode json) {
        json.put("saga", saga).put("status", status.name()).put("step", step).put("stepStatus", stepStatus.name());
        if (sentAgainAt != null) {
            json.put(AGAIN, sentAgainAt.toEpochMilli());
        }
    }

    /** @return {@code null} if there is none, or it is of a kind that this version does not know */
    static @Nullable StepFate read(JsonNode json) {
        try {
            return new StepFate(
                    Names.printable(json.path("saga").asString("")),
                    SagaStatus.valueOf(json.path("status").asString("")),
                    Names.printable(json.path("step").asString("")),
                    StepStatus.valueOf(json.path("stepStatus").asString("")),
                    json.has(AGAIN) ? Instant.ofEpochMilli(json.path(AGAIN).asLong(0)) : null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
