// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.publishing.LibraryMessages;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The running timeouts of a saga; part of its document. Confined to one thread. */
public final class SagaTimeouts {

    private static final String NAME = "timeouts";

    private final ObjectNode root;

    SagaTimeouts(ObjectNode root) {
        this.root = root;
    }

    /**
     * One timeout. Its alarm only wakes the saga; the stored times decide whether the timeout is over.
     *
     * @param token id of the alarm; alarms with any other id are stale
     * @param due when it expires
     * @param wakesAt when the alarm arrives. If this is earlier than {@code due}, another alarm is then sent for the remaining time
     */
    public record Timeout(String token, Instant due, Instant wakesAt) {

        /** A timeout whose alarm has not been sent yet. */
        public static Timeout due(String token, Instant due, Instant now) {
            return new Timeout(token, due, LibraryMessages.wakesAt(due, now));
        }
    }

    /** All timeouts by name, in the order in which they were first set. */
    public Map<String, Timeout> all() {
        Map<String, Timeout> timeouts = new LinkedHashMap<>();
        root.path(NAME).properties().forEach(timeout -> timeouts.put(timeout.getKey(), read(timeout.getValue())));
        return timeouts;
    }

    private static Timeout read(JsonNode value) {
        return new Timeout(
                SagaFields.text(value, "token"),
                SagaFields.instant(value, "due"),
                SagaFields.instant(value, "wakesAt"));
    }

    public @Nullable Timeout get(String name) {
        return all().get(name);
    }

    public boolean hasToken(String messageId) {
        return all().values().stream().anyMatch(timeout -> timeout.token().equals(messageId));
    }

    public void put(String name, Timeout timeout) {
        ObjectNode value = SagaFields.object(SagaFields.object(root, NAME), name);
        value.put("token", timeout.token());
        value.put("due", timeout.due().toEpochMilli());
        value.put("wakesAt", timeout.wakesAt().toEpochMilli());
    }

    public void remove(String name) {
        if (root.get(NAME) instanceof ObjectNode timeouts) {
            timeouts.remove(name);
        }
    }

    public void clear() {
        root.remove(NAME);
    }

    /** When each timeout expires, by name. */
    Map<String, Instant> due() {
        Map<String, Instant> due = new LinkedHashMap<>();
        all().forEach((name, timeout) -> due.put(name, timeout.due()));
        return due;
    }

    @Nullable
    Instant firstDueAfter(Instant now) {
        return due().values().stream()
                .filter(due -> due.isAfter(now))
                .min(Instant::compareTo)
                .orElse(null);
    }

    @Nullable
    Instant firstDue() {
        return due().values().stream().min(Instant::compareTo).orElse(null);
    }
}
