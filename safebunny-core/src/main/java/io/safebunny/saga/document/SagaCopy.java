// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.failure.MisuseException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A saga as JSON that continues elsewhere, such as in a test: the stored form, without the history. Pure. */
public final class SagaCopy {

    private static final String STATE = "state";
    private static final String CHANGED_AT = "changedAt";

    /** What a saga that has not ended, and is not stuck, does not have. */
    private static final List<String> OF_AN_END =
            List.of("reason", "endedAt", "retainedUntil", "stuckOn", "stuckAt", "stuckCause", "mended");

    /** All times of a stored saga, in milliseconds; 0 if one is not known. */
    private static final Set<String> TIMES = Set.of(
            "startedAt",
            CHANGED_AT,
            "endedAt",
            "retainedUntil",
            "due",
            "wakesAt",
            "undoSentAt",
            "setAsideAt",
            "stuckAt",
            "at");

    private SagaCopy() {}

    /**
     * Writes a saga as a copy to {@link #read}, with other contents.
     *
     * @param changedAt when it was last changed, according to the copy
     * @param state makes the state of the copy
     * @param message makes each command and undo of the copy
     */
    public static String write(
            SagaDocument saga,
            Instant changedAt,
            UnaryOperator<ObjectNode> state,
            UnaryOperator<OutboundMessage> message) {
        MessageRecord record = saga.write(null, "copy", changedAt, changedAt);
        ObjectNode root = object(record.steps().getOrDefault(SagaDocument.CONTENT, ""));
        root.remove(SagaHistory.NAME);
        if (!saga.status().isEnded()) {
            root.remove(OF_AN_END);
        }
        if (root.path(STATE) instanceof ObjectNode stored) {
            root.set(STATE, state.apply(stored));
        }
        SagaSteps.replaceMessages(root, message);
        return ExactTree.write(root);
    }

    /**
     * When the copied saga was last changed.
     *
     * @throws MisuseException SB-5001 if this is not a copy of a saga
     */
    public static Instant changedAt(String copy) {
        return SagaFields.instant(object(copy), CHANGED_AT);
    }

    /**
     * Reads a copy as a new saga. All its times are moved so that its last change is now.
     *
     * @throws MisuseException SB-5001 if this is not a copy of a saga, or a newer version of SafeBunny made it
     */
    public static SagaDocument read(String saga, String id, String copy, Instant now) {
        ObjectNode root = object(copy);
        JsonNode state = root.remove(STATE);
        move(root, Duration.between(SagaFields.instant(root, CHANGED_AT), now).toMillis());
        if (state != null) {
            root.set(STATE, state);
        }
        MessageRecord stored = MessageRecord.companion(
                SagaDocument.key(saga, id),
                "copy",
                new Listing(saga, SagaStatus.ACTIVE.name(), now, null),
                Map.of(SagaDocument.CONTENT, ExactTree.write(root)));
        try {
            return SagaDocument.read(saga, stored);
        } catch (UnreadableRecordException e) {
            throw unreadable(e);
        }
    }

    /** @param millis may be negative */
    private static void move(JsonNode node, long millis) {
        for (Map.Entry<String, JsonNode> field : List.copyOf(node.properties())) {
            JsonNode value = field.getValue();
            if (TIMES.contains(field.getKey()) && value.isNumber()) {
                long time = value.asLong(0);
                ((ObjectNode) node).put(field.getKey(), time == 0 ? 0 : time + millis);
            } else {
                move(value, millis);
            }
        }
        if (node.isArray()) {
            for (JsonNode element : node) {
                move(element, millis);
            }
        }
    }

    private static ObjectNode object(String copy) {
        if (json(copy) instanceof ObjectNode object) {
            return object;
        }
        throw unreadable(null);
    }

    private static @Nullable JsonNode json(String text) {
        try {
            JsonNode tree = ExactTree.read(text);
            return tree.isMissingNode() ? null : tree;
        } catch (JacksonException e) {
            return null;
        }
    }

    private static MisuseException unreadable(@Nullable Exception cause) {
        return new MisuseException(
                MisuseException.ARGUMENT,
                "This is not a stored saga that this version of SafeBunny can read. Use the JSON that the store keeps of the saga, unchanged, and the version of SafeBunny that wrote it, or a newer one.",
                cause);
    }
}
