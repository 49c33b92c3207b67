// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.store.record.RecordJson;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** The steps of a saga, in the order in which their commands were sent; part of its document. Confined to one thread. */
public final class SagaSteps {

    static final String NAME = "steps";

    private static final String COMMAND = "command";
    private static final String UNDO = "undo";
    private static final String ANSWERED_BY = "answeredBy";
    private static final String GIVEN_UP = "givenUp";
    /** Maximum number of nodes remembered per step. A type of command has fewer receivers than this. */
    private static final int MOST_NODES = 3;

    private final String saga;
    private final ObjectNode root;

    SagaSteps(String saga, ObjectNode root) {
        this.saga = saga;
        this.root = root;
    }

    /** @throws IllegalArgumentException if a newer version of SafeBunny wrote one of them */
    void requireReadable() {
        for (JsonNode step : root.path(NAME)) {
            StepStatus unused = status(step);
        }
    }

    public List<SagaStep> all() {
        List<SagaStep> steps = new ArrayList<>();
        for (JsonNode step : root.path(NAME)) {
            steps.add(read(step));
        }
        return steps;
    }

    public @Nullable SagaStep find(String name) {
        for (JsonNode step : root.path(NAME)) {
            if (SagaFields.text(step, "name").equals(name)) {
                return read(step);
            }
        }
        return null;
    }

    /** The step whose command or undo has this id. */
    public @Nullable SagaStep sender(String messageId) {
        for (JsonNode step : root.path(NAME)) {
            if (has(step, COMMAND, messageId) || has(step, UNDO, messageId)) {
                return read(step);
            }
        }
        return null;
    }

    /** Whether the step's command or undo, as named, has this id. To save time, reads only a text that contains the id. */
    private static boolean has(JsonNode step, String name, String messageId) {
        String text = SagaFields.text(step, name);
        return step.has(name)
                && text.contains(messageId)
                && messageId.equals(message(text).message().messageId());
    }

    /**
     * Records that the node has published something in response to the command, if the command belongs to one of the steps.
     *
     * @param at time of that publication, by the node's clock
     */
    public void answered(String commandId, String node, Instant at) {
        for (JsonNode step : root.path(NAME)) {
            if (has(step, COMMAND, commandId) && !isAnsweredBy(step, node, at.toEpochMilli() - 1)) {
                ArrayNode answers = SagaFields.array((ObjectNode) step, ANSWERED_BY);
                answers.removeIf(known -> SagaFields.text(known, "node").equals(node));
                SagaFields.withRoom(answers, MOST_NODES)
                        .addObject()
                        .put("node", node)
                        .put("at", at.toEpochMilli());
            }
        }
    }

    /**
     * Whether the node has handled the command since setting it aside. Messages that it published before that, with {@code publishNow}, do
     * not count.
     *
     * @param setAsideAt in milliseconds since the epoch, by the node's clock
     */
    public boolean isAnswered(String commandId, String node, long setAsideAt) {
        for (JsonNode step : root.path(NAME)) {
            if (isAnsweredBy(step, node, setAsideAt) && has(step, COMMAND, commandId)) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        return root.path(NAME).isEmpty();
    }

    /** Whether a command may still be answered: it is neither answered nor skipped, and its answer was not given up. */
    boolean isOneInFlight() {
        for (JsonNode step : root.path(NAME)) {
            boolean isOver = step.has(GIVEN_UP) || !step.path(ANSWERED_BY).isEmpty() || status(step) != StepStatus.SENT;
            if (!isOver) {
                return true;
            }
        }
        return false;
    }

    /** Records that the answer to a command was given up. */
    void giveUp(String commandId) {
        for (JsonNode step : root.path(NAME)) {
            if (has(step, COMMAND, commandId)) {
                ((ObjectNode) step).put(GIVEN_UP, true);
            }
        }
    }

    /** Records that the command is sent again: an answer to it that was given up may come after all. */
    public void sentAgain(String commandId) {
        for (JsonNode step : root.path(NAME)) {
            if (has(step, COMMAND, commandId)) {
                ((ObjectNode) step).remove(GIVEN_UP);
            }
        }
    }

    private static boolean isAnsweredBy(JsonNode step, String node, long after) {
        return step.path(ANSWERED_BY)
                .valueStream()
                .anyMatch(known -> known.isString() // from an older version, without a time
                        ? known.asString("").equals(node)
                        : SagaFields.text(known, "node").equals(node)
                                && known.path("at").asLong(0) > after);
    }

    /**
     * Adds a step, or updates the status and undo time of the one with the same name.
     *
     * @throws InvalidMessageException {@code too-large}; nothing is added
     */
    public void put(SagaStep step) {
        for (JsonNode known : root.path(NAME)) {
            if (SagaFields.text(known, "name").equals(step.name())) {
                ((ObjectNode) known).put("status", step.status().name());
                if (step.undoSentAt() != null) {
                    ((ObjectNode) known).put("undoSentAt", step.undoSentAt().toEpochMilli());
                }
                return;
            }
        }
        ObjectNode added = root.objectNode();
        added.put("name", step.name());
        added.put("status", step.status().name());
        added.put(COMMAND, RecordJson.writeOutgoing(List.of(step.command())));
        if (step.undo() != null) {
            added.put(UNDO, RecordJson.writeOutgoing(List.of(step.undo())));
        }
        SagaSize.requireRoom(root, saga, "step [%s]".formatted(step.name()), MissingNode.getInstance(), added);
        SagaFields.array(root, NAME).add(added);
    }

    public void remove(String name) {
        ArrayNode steps = SagaFields.array(root, NAME);
        for (int i = 0; i < steps.size(); i++) {
            if (SagaFields.text(steps.get(i), "name").equals(name)) {
                steps.remove(i);
                return;
            }
        }
    }

    List<SagaView.Step> views() {
        return all().stream()
                .map(step -> new SagaView.Step(
                        step.name(),
                        step.messageId(),
                        step.type(),
                        step.undo() == null ? null : step.undo().message().type(),
                        step.status()))
                .toList();
    }

    private static SagaStep read(JsonNode step) {
        return new SagaStep(
                SagaFields.text(step, "name"),
                status(step),
                message(SagaFields.text(step, COMMAND)),
                step.has(UNDO) ? message(SagaFields.text(step, UNDO)) : null,
                step.has("undoSentAt") ? SagaFields.instant(step, "undoSentAt") : null);
    }

    private static StepStatus status(JsonNode step) {
        return StepStatus.valueOf(SagaFields.text(step, "status"));
    }

    /** Replaces the commands and undos in a document. */
    static void replaceMessages(ObjectNode root, UnaryOperator<OutboundMessage> replacement) {
        for (JsonNode step : root.path(NAME)) {
            for (String message : List.of(COMMAND, UNDO)) {
                if (step.has(message)) {
                    OutboundMessage replaced = replacement.apply(message(SagaFields.text(step, message)));
                    ((ObjectNode) step).put(message, RecordJson.writeOutgoing(List.of(replaced)));
                }
            }
        }
    }

    private static OutboundMessage message(String text) {
        return RecordJson.readOutgoing(text).get(0);
    }
}
