// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes a part as JSON, with the names of its components; what is {@code null} is left out. Pure. */
final class PartWriter {

    private PartWriter() {}

    static ObjectNode json(SharedPart shared) {
        NodeStory part = shared.part();
        ObjectNode json = object();
        put(json, "asOf", part.asOf());
        put(json, "foundAs", part.foundAs());
        texts(json, "correlationIds", part.correlationIds());
        texts(json, "troubles", part.troubles());
        list(json, "sagas", part.sagas(), PartWriter::saga);
        list(json, "messages", part.messages(), PartWriter::message);
        list(json, "pauses", part.pauses(), (to, pause) -> {
            put(to, "type", pause.type());
            put(to, "state", pause.state());
            put(to, "since", pause.since());
            put(to, "until", pause.until());
            put(to, "reason", pause.reason());
            put(to, "by", pause.by());
            put(to, "opened", pause.opened());
        });
        list(json, "moved", part.moved(), (to, moved) -> {
            put(to, "messageId", moved.messageId());
            put(to, "correlationId", moved.correlationId());
            put(to, "kind", moved.kind());
            if (moved.older()) {
                to.put("older", true);
            }
            put(to, "at", moved.at());
            put(to, "keptUntil", moved.keptUntil());
            put(to, "by", moved.by());
            put(to, "reason", moved.reason());
        });
        list(json, "outbox", part.outbox(), (to, row) -> {
            put(to, "messageId", row.messageId());
            put(to, "correlationId", row.correlationId());
            put(to, "type", row.type());
            to.put("attempts", row.attempts());
            put(to, "storedAt", row.storedAt());
            put(to, "dueAt", row.dueAt());
        });
        list(json, "scheduled", part.scheduled(), (to, message) -> {
            put(to, "messageId", message.messageId());
            put(to, "status", message.status());
            put(to, "deliverAt", message.deliverAt());
        });
        list(json, "looked", part.looked(), (to, look) -> {
            put(to, "where", look.where());
            to.put("found", look.found());
            put(to, "note", look.note());
        });
        json.put("truncated", part.truncated());
        json.put("shared", shared.shared());
        return json;
    }

    private static void saga(ObjectNode to, Saga saga) {
        put(to, "saga", saga.saga());
        put(to, "id", saga.id());
        put(to, "status", saga.status());
        put(to, "startedAt", saga.startedAt());
        put(to, "changedAt", saga.changedAt());
        put(to, "reason", saga.reason());
        list(to, "steps", saga.steps(), (json, step) -> {
            put(json, "name", step.name());
            put(json, "messageId", step.messageId());
            put(json, "type", step.type());
            put(json, "undo", step.undo());
            put(json, "status", step.status());
        });
        ObjectNode timeouts = to.putObject("timeouts");
        saga.timeouts().forEach((name, at) -> put(timeouts, name, at));
        list(to, "blockedOn", saga.blockedOn(), (json, on) -> {
            put(json, "messageId", on.messageId());
            put(json, "type", on.type());
            put(json, "node", on.node());
            put(json, "reason", on.reason());
        });
        if (saga.stuckOn() != null) {
            ObjectNode stuck = to.putObject("stuckOn");
            put(stuck, "messageId", saga.stuckOn().messageId());
            put(stuck, "node", saga.stuckOn().node());
            put(stuck, "since", saga.stuckOn().since());
            put(stuck, "type", saga.stuckOn().type());
            put(stuck, "exception", saga.stuckOn().exception());
            put(stuck, "text", saga.stuckOn().text());
        }
        list(to, "awaited", saga.awaited(), (json, awaited) -> {
            put(json, "type", awaited.type());
            texts(json, "from", awaited.from());
        });
        list(to, "history", saga.history(), (json, event) -> {
            put(json, "at", event.at());
            put(json, "what", event.what());
            put(json, "repair", event.repair());
            put(json, "by", event.by());
        });
    }

    private static void message(ObjectNode to, Message message) {
        put(to, "id", message.id());
        put(to, "correlationId", message.correlationId());
        put(to, "type", message.type());
        put(to, "state", message.state());
        to.put("retries", message.retries());
        put(to, "claimedUntil", message.claimedUntil());
        put(to, "changedAt", message.changedAt());
        list(to, "failures", message.failures(), (json, failure) -> {
            put(json, "at", failure.at());
            put(json, "instance", failure.instance());
            json.put("millis", failure.millis());
            put(json, "exception", failure.exception());
            put(json, "text", failure.text());
            put(json, "nextAt", failure.nextAt());
        });
        list(to, "published", message.published(), (json, sent) -> {
            put(json, "id", sent.id());
            put(json, "type", sent.type());
            json.put("confirmed", sent.confirmed());
            put(json, "dueAt", sent.dueAt());
        });
        to.put("omitted", message.omitted());
        if (message.line() != null) {
            ObjectNode line = to.putObject("line");
            line.put("place", message.line().place());
            line.put("waiting", message.line().waiting());
            put(line, "head", message.line().head());
            line.put("held", message.line().held());
            put(line, "since", message.line().since());
            put(line, "dueAt", message.line().dueAt());
        }
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static void put(ObjectNode to, String name, @Nullable Object value) {
        if (value instanceof Enum<?> constant) {
            to.put(name, constant.name());
        } else if (value instanceof Instant || value instanceof String) {
            to.put(name, value.toString());
        }
    }

    private static void texts(ObjectNode to, String name, List<String> texts) {
        ArrayNode array = to.putArray(name);
        texts.forEach(text -> array.add(text));
    }

    private static <T> void list(ObjectNode to, String name, List<T> elements, BiConsumer<ObjectNode, T> writer) {
        ArrayNode array = to.putArray(name);
        elements.forEach(element -> writer.accept(array.addObject(), element));
    }
}
