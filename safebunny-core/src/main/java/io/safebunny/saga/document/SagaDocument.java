// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.InvalidMessageException;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One saga as stored: a JSON tree of which this version changes only the fields it knows, so that those of other versions
 * survive. Confined to one thread.
 */
public final class SagaDocument {

    private static final int FORMAT = 1;
    private static final int MOST_MENDED = 20;

    /** Listing status of active sagas that wait for a message that was set aside, or are idle since a repair, so that they can be counted. */
    public static final String BLOCKED = "BLOCKED";

    private static final String STUCK_AT = "stuckAt";
    private static final String STUCK_CAUSE = "stuckCause";
    private static final String OF = "of";
    private static final String CAUSE = "cause";
    private static final String ENDED_AT = "endedAt";

    private static final String STATE = "state";

    /** Name of the JSON in the companion record. */
    static final String CONTENT = "saga";

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

    /** Statuses under which the store lists sagas with this status. */
    public static List<String> listings(SagaStatus status) {
        return status == SagaStatus.ACTIVE ? List.of(status.name(), BLOCKED) : List.of(status.name());
    }

    public static SagaDocument start(String saga, String id, Instant now) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("format", FORMAT);
        root.put("startedAt", now.toEpochMilli());
        SagaDocument document = new SagaDocument(saga, id, 0, root);
        document.become(SagaStatus.ACTIVE);
        return document;
    }

    /** @throws UnreadableRecordException if a newer version of SafeBunny wrote it */
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

    /** The stored saga. Empty if a newer version of SafeBunny wrote it: the instances of that version take care of it. */
    public static Optional<SagaDocument> ifReadable(String saga, MessageRecord stored) {
        try {
            return Optional.of(read(saga, stored));
        } catch (UnreadableRecordException e) {
            return Optional.empty();
        }
    }

    /** Takes a snapshot of the saga; running the result restores it. */
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
     * @param stored the record it was read from; {@code null} for a new saga
     * @param owner id of the message that changes the saga
     * @param retainedUntil how long it can still be found after it has ended
     */
    public MessageRecord write(@Nullable MessageRecord stored, String owner, Instant now, Instant retainedUntil) {
        root.put("changedAt", now.toEpochMilli());
        if (stuckOn() != null && !root.has(STUCK_AT)) {
            root.put(STUCK_AT, now.toEpochMilli());
        }
        if (status().isEnded() && !root.has(ENDED_AT)) {
            root.put(ENDED_AT, now.toEpochMilli());
            root.put("retainedUntil", retainedUntil.toEpochMilli());
        }
        return stored == null
                ? MessageRecord.companion(key(saga, id), owner, listing(dueAt()), content(Map.of()))
                : next(stored, owner, dueAt());
    }

    /** The next write by a message that has changed nothing but the history. */
    public MessageRecord noted(MessageRecord stored, String owner) {
        return next(stored, owner, dueAt());
    }

    /**
     * The next write by the sweep. Afterwards the saga is not found as due before {@code until} or the end of the next timeout, whichever
     * comes first.
     */
    public MessageRecord postponed(MessageRecord stored, Instant now, Instant until) {
        Instant next = timeouts.firstDueAfter(now);
        Instant due = next != null && next.isBefore(until) ? next : until;
        return next(stored, stored.owner(), dueAt() == null ? null : due);
    }

    private MessageRecord next(MessageRecord stored, String owner, @Nullable Instant due) {
        return stored.nextContent(RecordState.RELEASED, owner, listing(due), content(stored.steps()));
    }

    private Listing listing(@Nullable Instant due) {
        boolean isBlocked = status() == SagaStatus.ACTIVE && (!blocks.all().isEmpty() || idleSince() != null);
        return new Listing(saga, isBlocked ? BLOCKED : status().name(), startedAt(), due);
    }

    /** The content to store. Keeps everything else that is stored beside the tree. */
    private Map<String, String> content(Map<String, String> stored) {
        String json = ExactTree.write(root);
        while (!SagaSize.fits(json) && history.shorten()) {
            json = ExactTree.write(root);
        }
        Map<String, String> content = new LinkedHashMap<>(stored);
        content.put(CONTENT, json);
        return content;
    }

    /** When the sweep must take care of the saga: when the next timeout expires or, if the saga has ended, when its retention is over. */
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

    /** Version of the record that the saga was read from; 0 for a new saga. */
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

    /** Adds an event to the history. */
    public void note(Instant now, String what) {
        history.note(now, what);
    }

    /**
     * Adds what came of a repair to the history.
     *
     * @param id of the repair
     * @param by who asked for it; {@code null} if that is not told
     */
    public void noteRepair(Instant now, String what, String id, @Nullable String by) {
        history.note(now, what, id, by);
    }

    /** All events that are kept, the latest one last. */
    public List<SagaView.Event> history() {
        return history.all();
    }

    /** When a message last changed the saga; a repair that it refuses does not. */
    public Instant changedAt() {
        return SagaFields.instant(root, "changedAt");
    }

    private Instant startedAt() {
        return SagaFields.instant(root, "startedAt");
    }

    /** Version of the application's state; 0 before there is a state. */
    public int stateVersion() {
        return root.path("stateVersion").asInt(0);
    }

    /** The stored tree, not a copy, of a state in clear. */
    ObjectNode state() {
        return (ObjectNode) root.path(STATE);
    }

    /** Whether its state is stored encrypted. */
    public boolean isStateSealed() {
        return sealedState() != null;
    }

    /** {@code null} if the state is in clear, or there is none. */
    @Nullable
    String sealedState() {
        return SagaFields.textIfAny(root, STATE);
    }

    /**
     * @param state a tree, or a sealed text
     * @throws InvalidMessageException {@code too-large}; the old state stays
     */
    void setState(int stateVersion, JsonNode state) {
        SagaSize.requireRoom(root, saga, "its state", root.path(STATE), state);
        root.put("stateVersion", stateVersion);
        root.set(STATE, state);
    }

    /** Why the saga failed. */
    public @Nullable String reason() {
        return SagaFields.textIfAny(root, "reason");
    }

    public void setReason(String reason) {
        root.put("reason", SagaFields.shortened(reason));
    }

    /** Id of the message on which the saga is stuck; {@code null} if it is not. */
    public @Nullable String stuckOn() {
        return SagaFields.textIfAny(root, "stuckOn");
    }

    /** @param causationId id of the message that led to this one; {@code null} if there is none, or it is not known */
    public void stickOn(String messageId, @Nullable String causationId) {
        become(SagaStatus.STUCK);
        root.put("stuckOn", messageId);
        root.remove(STUCK_CAUSE);
        if (causationId != null) {
            root.putObject(STUCK_CAUSE).put(OF, messageId).put(CAUSE, causationId);
        }
        root.remove(STUCK_AT); // by the write, which knows the time
    }

    /** Since when it is stuck: an earlier version has stored only when it last changed. */
    private Instant stuckAt() {
        return root.has(STUCK_AT) ? SagaFields.instant(root, STUCK_AT) : changedAt();
    }

    private @Nullable StuckOn stuckOn(String node) {
        String messageId = stuckOn();
        return messageId == null ? null : new StuckOn(messageId, node, stuckAt(), null, null, null);
    }

    /**
     * Gives up the message on which the saga is stuck: the command that it answers is not waited for any more. If it is not known what it
     * answers, all commands are still waited for: one of them may be in flight.
     */
    public void giveUp() {
        JsonNode known = root.path(STUCK_CAUSE);
        String cause = SagaFields.textIfAny(known, CAUSE);
        // an older version leaves the cause of an earlier message when the saga is stuck again
        if (cause != null && SagaFields.text(known, OF).equals(stuckOn())) {
            steps.giveUp(cause);
        }
    }

    /** See {@link SagaView#idleSince}. */
    private SagaView.@Nullable Event idleSince() {
        boolean isUnderWay = status() != SagaStatus.ACTIVE
                || !blocks.all().isEmpty()
                || !timeouts.all().isEmpty()
                || steps.isOneInFlight();
        return isUnderWay ? null : history.repairWithoutEffect(!steps.isEmpty());
    }

    /** Makes a stuck saga active again. Remembers the message it was stuck on, because news of that message may still arrive. */
    public void unstick() {
        become(SagaStatus.ACTIVE);
        String messageId = stuckOn();
        if (messageId != null) {
            SagaFields.withRoom(SagaFields.array(root, "mended"), MOST_MENDED).add(messageId);
            root.remove("stuckOn");
            root.remove(STUCK_AT);
            root.remove(STUCK_CAUSE);
        }
    }

    /** Whether the saga was once stuck on this message, and has been repaired since. */
    public boolean hasMended(String messageId) {
        for (JsonNode mended : root.path("mended")) {
            if (mended.asString("").equals(messageId)) {
                return true;
            }
        }
        return false;
    }

    /** The tree as JSON; empty for a missing node. */
    private static String json(JsonNode tree) {
        return tree.isMissingNode() ? "" : ExactTree.write(tree);
    }

    /** @param node the saga's own */
    public SagaView view(String node) {
        return new SagaView(
                saga,
                id,
                status(),
                version,
                stateVersion(),
                isStateSealed() ? "" : json(root.path(STATE)),
                isStateSealed(),
                startedAt(),
                changedAt(),
                root.has(ENDED_AT) ? SagaFields.instant(root, ENDED_AT) : null,
                reason(),
                steps.views(),
                timeouts.due(),
                blocks.messages(),
                stuckOn(node),
                idleSince(),
                history.all());
    }
}
