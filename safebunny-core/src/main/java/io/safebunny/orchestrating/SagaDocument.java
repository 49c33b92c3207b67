// SPDX-License-Identifier: Apache-2.0
package io.safebunny.orchestrating;

import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.spi.store.Listing;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordJson;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.UnreadableRecordException;
import io.safebunny.spi.transport.OutboundMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One saga as it is stored: a JSON tree, of which this version changes only the fields that it knows, so that those of other versions
 * survive. Confined to one thread.
 */
final class SagaDocument {

    private static final int FORMAT = 1;
    private static final int MOST_HISTORY = 50;
    private static final int MOST_MENDED = 20;
    private static final int LONGEST_TEXT = 500;

    /** Name of the companion's only content. */
    private static final String CONTENT = "saga";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final String saga;
    private final String id;
    private final long version;
    private final ObjectNode root;

    private SagaDocument(String saga, String id, long version, ObjectNode root) {
        this.saga = saga;
        this.id = id;
        this.version = version;
        this.root = root;
    }

    static RecordKey key(String saga, String id) {
        return RecordKey.companion(id, "saga." + saga);
    }

    static SagaDocument start(String saga, String id, Instant now) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("format", FORMAT);
        root.put("startedAt", now.toEpochMilli());
        SagaDocument document = new SagaDocument(saga, id, 0, root);
        document.become(SagaStatus.ACTIVE);
        return document;
    }

    /** @throws UnreadableRecordException a newer version of SafeBunny wrote it */
    static SagaDocument read(String saga, MessageRecord stored) {
        try {
            ObjectNode root = (ObjectNode) JSON.readTree(stored.steps().getOrDefault(CONTENT, ""));
            if (root.path("format").asInt(0) != FORMAT) {
                throw new UnreadableRecordException(
                        stored.key(), "saga format " + root.path("format").asInt(0), null);
            }
            SagaDocument document = new SagaDocument(saga, stored.key().correlationId(), stored.version(), root);
            SagaStatus unused = document.status();
            for (JsonNode step : document.array("steps")) {
                StepStatus unusedStatus = statusOf(step);
            }
            return document;
        } catch (JacksonException | ClassCastException | IllegalArgumentException e) {
            throw new UnreadableRecordException(stored.key(), "saga", e);
        }
    }

    /**
     * The next write of the saga.
     *
     * @param stored what it was read from; {@code null} for a new one
     * @param owner id of the message that changes it
     * @param retainedUntil until when it can be found after it has ended
     */
    MessageRecord write(@Nullable MessageRecord stored, String owner, Instant now, Instant retainedUntil) {
        root.put("changedAt", now.toEpochMilli());
        if (status().isEnded() && !root.has("endedAt")) {
            root.put("endedAt", now.toEpochMilli());
            root.put("retainedUntil", retainedUntil.toEpochMilli());
        }
        Map<String, String> content = new LinkedHashMap<>(stored == null ? Map.of() : stored.steps());
        content.put(CONTENT, root.toString());
        Listing listing = new Listing(saga, status().name(), startedAt(), dueAt());
        return stored == null
                ? MessageRecord.companion(key(saga, id), owner, listing, content)
                : stored.nextContent(RecordState.RELEASED, owner, listing, content);
    }

    /** The next write by one who only looks after it: it is not found as due until then. */
    MessageRecord postponed(MessageRecord stored, Instant until) {
        Map<String, String> content = new LinkedHashMap<>(stored.steps());
        content.put(CONTENT, root.toString());
        Instant due = dueAt() == null ? null : until;
        Listing listing = new Listing(saga, status().name(), startedAt(), due);
        return stored.nextContent(RecordState.RELEASED, stored.owner(), listing, content);
    }

    /** When somebody has to look after it, though no message comes: a timeout is over, or it has been kept long enough. */
    private @Nullable Instant dueAt() {
        if (status().isEnded()) {
            return instant(root, "retainedUntil");
        }
        if (status() == SagaStatus.STUCK) {
            return null;
        }
        return timeouts().values().stream()
                .map(SagaTimeout::due)
                .min(Instant::compareTo)
                .orElse(null);
    }

    String saga() {
        return saga;
    }

    String id() {
        return id;
    }

    /** Of what it was read from, 0 for a new one. */
    long version() {
        return version;
    }

    SagaStatus status() {
        return SagaStatus.valueOf(root.path("status").asString(""));
    }

    void become(SagaStatus status) {
        root.put("status", status.name());
    }

    Instant startedAt() {
        return instant(root, "startedAt");
    }

    private static Instant instant(JsonNode node, String name) {
        return Instant.ofEpochMilli(node.path(name).asLong(0));
    }

    // ---- state

    /** Of the application, 0 before there is a state. */
    int stateVersion() {
        return root.path("stateVersion").asInt(0);
    }

    /** The stored tree itself. */
    ObjectNode state() {
        return (ObjectNode) root.path("state");
    }

    void setState(int stateVersion, ObjectNode state) {
        root.put("stateVersion", stateVersion);
        root.set("state", state);
    }

    // ---- why it does not go on, or did not end well

    @Nullable
    String reason() {
        return text(root, "reason");
    }

    void setReason(String reason) {
        root.put("reason", shortened(reason));
    }

    /** Id of the message that was set aside, when the saga is stuck. */
    @Nullable
    String stuckOn() {
        return text(root, "stuckOn");
    }

    void stickOn(String messageId) {
        become(SagaStatus.STUCK);
        root.put("stuckOn", messageId);
    }

    /** News of the message on which it was stuck may still be under way. */
    void unstick() {
        become(SagaStatus.ACTIVE);
        String messageId = stuckOn();
        if (messageId != null) {
            ArrayNode mended = array("mended");
            while (mended.size() >= MOST_MENDED) {
                mended.remove(0);
            }
            mended.add(messageId);
            root.remove("stuckOn");
        }
    }

    /** Whether it was stuck on that message, and is not any more. */
    boolean hasMended(String messageId) {
        for (JsonNode mended : array("mended")) {
            if (mended.asString("").equals(messageId)) {
                return true;
            }
        }
        return false;
    }

    /** A message that was set aside, and the version of the record that says so; 0 when that is not known. */
    record Block(BlockedOn message, long recordVersion) {}

    /** In the order in which they were set aside. */
    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (JsonNode blocked : array("blockedOn")) {
            BlockedOn message = new BlockedOn(
                    blocked.path("message").asString(""),
                    blocked.path("type").asString(""),
                    blocked.path("node").asString(""),
                    blocked.path("reason").asString(""));
            blocks.add(new Block(message, blocked.path("recordVersion").asLong(0)));
        }
        return blocks;
    }

    /** Takes the place of an earlier one about the same message, unless that knows more. */
    void blockOn(Block block) {
        String messageId = block.message().messageId();
        for (Block known : blocks()) {
            if (known.message().messageId().equals(messageId) && known.recordVersion() > block.recordVersion()) {
                return;
            }
        }
        unblock(messageId);
        ObjectNode blocked = array("blockedOn").addObject();
        blocked.put("message", block.message().messageId());
        blocked.put("type", block.message().type());
        blocked.put("node", block.message().node());
        blocked.put("reason", block.message().reason());
        blocked.put("recordVersion", block.recordVersion());
    }

    void unblock(String messageId) {
        ArrayNode blocks = array("blockedOn");
        for (int i = blocks.size() - 1; i >= 0; i--) {
            if (blocks.get(i).path("message").asString("").equals(messageId)) {
                blocks.remove(i);
            }
        }
    }

    void unblock() {
        array("blockedOn").removeAll();
    }

    // ---- steps

    List<SagaStep> steps() {
        List<SagaStep> steps = new ArrayList<>();
        for (JsonNode step : array("steps")) {
            steps.add(step(step));
        }
        return steps;
    }

    private static SagaStep step(JsonNode step) {
        return new SagaStep(
                step.path("name").asString(""),
                statusOf(step),
                message(step.path("command").asString("")),
                step.has("undo") ? message(step.path("undo").asString("")) : null);
    }

    private static StepStatus statusOf(JsonNode step) {
        return StepStatus.valueOf(step.path("status").asString(""));
    }

    @Nullable
    SagaStep step(String name) {
        return steps().stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** Adds it, or changes the status of the one with its name. */
    void put(SagaStep step) {
        for (JsonNode known : array("steps")) {
            if (known.path("name").asString("").equals(step.name())) {
                ((ObjectNode) known).put("status", step.status().name());
                return;
            }
        }
        ObjectNode added = array("steps").addObject();
        added.put("name", step.name());
        added.put("status", step.status().name());
        added.put("command", RecordJson.writeOutgoing(List.of(step.command())));
        if (step.undo() != null) {
            added.put("undo", RecordJson.writeOutgoing(List.of(step.undo())));
        }
    }

    void removeStep(String name) {
        ArrayNode steps = array("steps");
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).path("name").asString("").equals(name)) {
                steps.remove(i);
                return;
            }
        }
    }

    private static OutboundMessage message(String text) {
        return RecordJson.readOutgoing(text).get(0);
    }

    private ArrayNode array(String name) {
        return root.get(name) instanceof ArrayNode known ? known : root.putArray(name);
    }

    // ---- timeouts

    /** By name, in the order in which they were first set. */
    Map<String, SagaTimeout> timeouts() {
        Map<String, SagaTimeout> timeouts = new LinkedHashMap<>();
        root.path("timeouts").properties().forEach(timeout -> {
            JsonNode value = timeout.getValue();
            timeouts.put(
                    timeout.getKey(),
                    new SagaTimeout(
                            value.path("token").asString(""), instant(value, "due"), instant(value, "wakesAt")));
        });
        return timeouts;
    }

    void put(String name, SagaTimeout timeout) {
        ObjectNode timeouts = root.get("timeouts") instanceof ObjectNode known ? known : root.putObject("timeouts");
        ObjectNode value = timeouts.get(name) instanceof ObjectNode known ? known : timeouts.putObject(name);
        value.put("token", timeout.token());
        value.put("due", timeout.due().toEpochMilli());
        value.put("wakesAt", timeout.wakesAt().toEpochMilli());
    }

    void removeTimeout(String name) {
        if (root.get("timeouts") instanceof ObjectNode timeouts) {
            timeouts.remove(name);
        }
    }

    void removeTimeouts() {
        root.remove("timeouts");
    }

    // ---- history

    /** Keeps the last fifty. */
    void note(Instant now, String what) {
        ArrayNode history = array("history");
        while (history.size() >= MOST_HISTORY) {
            history.remove(0);
        }
        ObjectNode event = history.addObject();
        event.put("at", now.toEpochMilli());
        event.put("what", shortened(what));
    }

    private static String shortened(String text) {
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LONGEST_TEXT - 1)) ? LONGEST_TEXT - 1 : LONGEST_TEXT;
        return text.substring(0, end) + "…";
    }

    private static @Nullable String text(JsonNode node, String name) {
        return node.path(name).isString() ? node.path(name).asString() : null;
    }

    SagaView view() {
        Map<String, Instant> due = new LinkedHashMap<>();
        timeouts().forEach((name, timeout) -> due.put(name, timeout.due()));
        List<SagaView.Event> history = new ArrayList<>();
        for (JsonNode event : array("history")) {
            history.add(
                    new SagaView.Event(instant(event, "at"), event.path("what").asString("")));
        }
        return new SagaView(
                saga,
                id,
                status(),
                version,
                stateVersion(),
                root.path("state").toString(),
                startedAt(),
                instant(root, "changedAt"),
                reason(),
                steps().stream().map(SagaDocument::view).toList(),
                due,
                blocks().stream().map(Block::message).toList(),
                history);
    }

    private static SagaView.Step view(SagaStep step) {
        return new SagaView.Step(
                step.name(),
                step.messageId(),
                step.type(),
                step.undo() == null ? null : step.undo().message().type(),
                step.status());
    }
}
