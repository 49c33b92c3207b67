// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.message.PoisonReason;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.SetAside;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The messages of a saga that participants have set aside; part of its document. Confined to one thread. */
public final class SagaBlocks {

    private static final String NAME = "blockedOn";
    private static final String UNTOLD = "untold";
    private static final String BEFORE = PoisonReason.SET_ASIDE_BEFORE.wireName();
    private static final int MOST = 100;

    private final ObjectNode root;

    SagaBlocks(ObjectNode root) {
        this.root = root;
    }

    /**
     * A message that was set aside.
     *
     * @param recordVersion version of the message's record when it was set aside; 0 if unknown
     * @param setAsideAt in milliseconds since the epoch by its node's clock; 0 if unknown
     * @param isUntold whether the saga's {@code OnPoisoned} method has yet to run, because the saga was stuck at the time
     */
    public record Block(BlockedOn message, long recordVersion, long setAsideAt, boolean isUntold) {}

    /** The blocks, in the order in which they were added. */
    public List<Block> all() {
        List<Block> blocks = new ArrayList<>();
        for (JsonNode blocked : root.path(NAME)) {
            blocks.add(new Block(
                    message(blocked),
                    blocked.path("recordVersion").asLong(0),
                    blocked.path("setAsideAt").asLong(0),
                    blocked.path(UNTOLD).asBoolean(false)));
        }
        return blocks;
    }

    private static BlockedOn message(JsonNode blocked) {
        return new BlockedOn(
                SagaFields.text(blocked, "message"),
                SagaFields.text(blocked, "type"),
                SagaFields.text(blocked, "node"),
                SagaFields.text(blocked, "reason"));
    }

    public List<Block> untold() {
        return all().stream().filter(Block::isUntold).toList();
    }

    public boolean isUntold(String messageId, String node) {
        return untold().stream().anyMatch(block -> isAbout(block.message(), messageId, node));
    }

    private static boolean isAbout(BlockedOn blocked, String messageId, String node) {
        return blocked.messageId().equals(messageId) && blocked.node().equals(node);
    }

    /**
     * Adds a block, or replaces one for the same message at the same node. Beyond a hundred, the oldest is dropped. Of a copy that was set
     * aside only because another one had been before, it keeps why that one was, if the saga has heard of it.
     *
     * @return what the saga is blocked on; {@code null} if the existing block is newer and stays
     */
    public @Nullable BlockedOn put(Block block) {
        String messageId = block.message().messageId();
        String node = block.message().node();
        String reason = cause(block.message());
        for (JsonNode known : root.path(NAME)) {
            boolean isNewer = known.path("recordVersion").asLong(0) > block.recordVersion();
            if (isNewer && isAbout(message(known), messageId, node)) {
                if (message(known).reason().equals(BEFORE)) {
                    ((ObjectNode) known).put("reason", reason);
                }
                return null;
            }
        }
        remove(messageId, node);
        ObjectNode blocked =
                SagaFields.withRoom(SagaFields.array(root, NAME), MOST).addObject();
        blocked.put("message", messageId);
        blocked.put("type", block.message().type());
        blocked.put("node", node);
        blocked.put("reason", reason);
        blocked.put("recordVersion", block.recordVersion());
        blocked.put("setAsideAt", block.setAsideAt());
        if (block.isUntold()) {
            blocked.put(UNTOLD, true);
        }
        return new BlockedOn(messageId, block.message().type(), node, reason);
    }

    /** Why the message was first set aside: its later copies are, because it was. */
    private String cause(BlockedOn message) {
        String cause = message.reason();
        if (cause.equals(BEFORE)) {
            List<BlockedOn> told = new ArrayList<>(messages());
            for (SagaView.Event event : new SagaHistory(root).all()) {
                if (Happening.of(event) instanceof SetAside aside) {
                    told.add(aside.message());
                }
            }
            for (BlockedOn one : told) {
                boolean tells = isAbout(one, message.messageId(), message.node())
                        && !one.reason().equals(BEFORE);
                cause = tells ? one.reason() : cause;
            }
        }
        return cause;
    }

    /**
     * Call when the node has published something in response to the message: the message then no longer blocks. Publications from before it
     * was set aside do not count.
     */
    public void answered(String messageId, String node, Instant at) {
        boolean isBefore = all().stream()
                .anyMatch(block -> isAbout(block.message(), messageId, node) && at.toEpochMilli() < block.setAsideAt());
        if (!isBefore) {
            remove(messageId, node);
        }
    }

    /** Removes the message's blocks at all nodes. */
    public void remove(String messageId) {
        remove(messageId, null);
    }

    /** @param node the node that set it aside; {@code null} for all nodes */
    private void remove(String messageId, @Nullable String node) {
        ArrayNode blocks = SagaFields.array(root, NAME);
        for (int i = blocks.size() - 1; i >= 0; i--) {
            JsonNode blocked = blocks.get(i);
            if (SagaFields.text(blocked, "message").equals(messageId)
                    && (node == null || SagaFields.text(blocked, "node").equals(node))) {
                blocks.remove(i);
            }
        }
    }

    public void removeOfType(String type) {
        all().stream()
                .map(Block::message)
                .filter(message -> message.type().equals(type))
                .forEach(message -> remove(message.messageId()));
    }

    public void clear() {
        root.remove(NAME);
    }

    List<BlockedOn> messages() {
        return all().stream().map(Block::message).toList();
    }
}
