// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.store.Listing;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import io.safebunny.store.RecordState;
import io.safebunny.store.UnreadableRecordException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One saga as it is stored: a JSON tree, of which this version changes only the fields that it knows, so that those of other versions
 * survive. Confined to one thread.
 */
public final class SagaDocument {

    private static final int FORMAT = 1;
    private static final int MOST_MENDED = 20;

    /** Name of the companion's only content. */
    private static final String CONTENT = "saga";

    private final String saga;
    private final String id;
    private final long version;
    private final ObjectNode root;
    private final SagaSteps steps;
    private final SagaTimeouts timeouts;
    private final SagaBlocks blocks;
    private final SagaHistory history;

    private SagaDocument(String saga, String id, long version, ObjectNode root) {
        this.saga = saga;
        this.id = id;
        this.version = version;
        this.root = root;
        this.steps = new SagaSteps(saga, root);
        this.timeouts = new SagaTimeouts(root);
        this.blocks = new SagaBlocks(root);
        this.history = new SagaHistory(root);
    }

    public static RecordKey key(String saga, String id) {
        return RecordKey.companion(id, "saga." + saga);
    }

    public static SagaDocument start(String saga, String id, Instant now) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("format", FORMAT);
        root.put("startedAt", now.toEpochMilli());
        SagaDocument document = new SagaDocument(saga, id, 0, root);
        document.become(SagaStatus.ACTIVE);
        return document;
    }

    /** @throws UnreadableRecordException a newer version of SafeBunny wrote it */
    public static SagaDocument read(String saga, MessageRecord stored) {
        try {
            ObjectNode root = (ObjectNode) ExactTree.read(stored.steps().getOrDefault(CONTENT, ""));
            int format = root.path("format").asInt(0);
            if (format != FORMAT) {
                throw new UnreadableRecordException(stored.key(), "saga format " + format, null);
            }
            SagaDocument document = new SagaDocument(saga, stored.key().correlationId(), stored.version(), root);
            SagaStatus unused = document.status();
            document.steps.requireReadable();
            return document;
        } catch (JacksonException | ClassCastException | IllegalArgumentException e) {
            throw new UnreadableRecordException(stored.key(), "saga", e);
        }
    }

    /** Returns to what it is now. */
    public Runnable undo() {
        ObjectNode copy = root.deepCopy();
        return () -> {
            root.removeAll();
            root.setAll(copy);
        };
    }

    /**
     * The next write of the saga.
     *
     * @param stored what it was read from; {@code null} for a new one
     * @param owner id of the message that changes it
     * @param retainedUntil until when it can be found after it has ended
     */
    public MessageRecord write(@Nullable MessageRecord stored, String owner, Instant now, Instant retainedUntil) {
        root.put("changedAt", now.toEpochMilli());
        if (status().isEnded() && !root.has("endedAt")) {
            root.put("endedAt", now.toEpochMilli());
            root.put("retainedUntil", retainedUntil.toEpochMilli());
        }
        return stored == null
                ? MessageRecord.companion(key(saga, id), owner, listing(dueAt()), content(Map.of()))
                : next(stored, owner, dueAt());
    }

    /** The next write by one who only looks after it: it is not found as due until then, or until a timeout that is not over yet. */
    public MessageRecord postponed(MessageRecord stored, Instant now, Instant until) {
        Instant next = timeouts.firstDueAfter(now);
        Instant due = next != null && next.isBefore(until) ? next : until;
        return next(stored, stored.owner(), dueAt() == null ? null : due);
    }

    private MessageRecord next(MessageRecord stored, String owner, @Nullable Instant due) {
        return stored.nextContent(RecordState.RELEASED, owner, listing(due), content(stored.steps()));
    }

    private Listing listing(@Nullable Instant due) {
        return new Listing(saga, SagaListing.of(status(), blocks), startedAt(), due);
    }

    /** What others have put beside the tree stays. */
    private Map<String, String> content(Map<String, String> stored) {
        String json = ExactTree.write(root);
        while (!SagaSize.fits(json) && history.shorten()) {
            json = ExactTree.write(root);
        }
        Map<String, String> content = new LinkedHashMap<>(stored);
        content.put(CONTENT, json);
        return content;
    }

    /** When somebody has to look after it, though no message comes: a timeout is over, or it has been kept long enough. */
    private @Nullable Instant dueAt() {
        if (status().isEnded()) {
            return SagaFields.instant(root, "retainedUntil");
        }
        return status() == SagaStatus.STUCK ? null : timeouts.firstDue();
    }

    public String saga() {
        return saga;
    }

    public String id() {
        return id;
    }

    /** Of what it was read from, 0 for a new one. */
    public long version() {
        return version;
    }

    public SagaStatus status() {
        return SagaStatus.valueOf(SagaFields.text(root, "status"));
    }

    public void become(SagaStatus status) {
        root.put("status", status.name());
    }

    public SagaSteps steps() {
        return steps;
    }

    public SagaTimeouts timeouts() {
        return timeouts;
    }

    public SagaBlocks blocks() {
        return blocks;
    }

    /** In its history. */
    public void note(Instant now, String what) {
        history.note(now, what);
    }

    /** When it was written last by a message. */
    public Instant changedAt() {
        return SagaFields.instant(root, "changedAt");
    }

    private Instant startedAt() {
        return SagaFields.instant(root, "startedAt");
    }

    /** Of the application, 0 before there is a state. */
    public int stateVersion() {
        return root.path("stateVersion").asInt(0);
    }

    /** The stored tree itself. */
    ObjectNode state() {
        return (ObjectNode) root.path("state");
    }

    /** @throws InvalidMessageException {@code too-large}; the old one stays */
    void setState(int stateVersion, ObjectNode state) {
        SagaSize.requireRoom(root, saga, "its state", json(root.path("state")), json(state));
        root.put("stateVersion", stateVersion);
        root.set("state", state);
    }

    /** Why it did not end well. */
    public @Nullable String reason() {
        return SagaFields.textIfAny(root, "reason");
    }

    public void setReason(String reason) {
        root.put("reason", SagaFields.shortened(reason));
    }

    /** Id of the message that was set aside, when the saga is stuck. */
    public @Nullable String stuckOn() {
        return SagaFields.textIfAny(root, "stuckOn");
    }

    public void stickOn(String messageId) {
        become(SagaStatus.STUCK);
        root.put("stuckOn", messageId);
    }

    /** News of the message on which it was stuck may still be under way. */
    public void unstick() {
        become(SagaStatus.ACTIVE);
        String messageId = stuckOn();
        if (messageId != null) {
            SagaFields.withRoom(SagaFields.array(root, "mended"), MOST_MENDED).add(messageId);
            root.remove("stuckOn");
        }
    }

    /** Whether it was stuck on that message, and is not any more. */
    public boolean hasMended(String messageId) {
        for (JsonNode mended : root.path("mended")) {
            if (mended.asString("").equals(messageId)) {
                return true;
            }
        }
        return false;
    }

    /** Empty for nothing. */
    private static String json(JsonNode tree) {
        return tree.isMissingNode() ? "" : ExactTree.write(tree);
    }

    public SagaView view() {
        return new SagaView(
                saga,
                id,
                status(),
                version,
                stateVersion(),
                json(root.path("state")),
                startedAt(),
                changedAt(),
                reason(),
                steps.views(),
                timeouts.due(),
                blocks.messages(),
                history.all());
    }
}
