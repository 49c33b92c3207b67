// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.ScheduledMessage;
import io.safebunny.message.Names;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Awaited;
import io.safebunny.story.NodeStory.Failure;
import io.safebunny.story.NodeStory.Line;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Moved;
import io.safebunny.story.NodeStory.Pause;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the part of another instance, which may have another version or be forged: ignores what it does not know, takes a list that is
 * missing as empty, and leaves out an entry that lacks something or has a value that it does not know, which is noted. Confined to one
 * thread.
 */
final class PartReader {

    /** Of a text. Ids and names of types are shorter. */
    private static final int LONGEST = 1024;

    /** Of records, rows and pauses. */
    private static final int MOST = 1_000;

    /** Of what has few entries. */
    private static final int FEW = 100;

    /** What adds to a time, or writes it, has room on both sides. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

    /** Where is noted that entries are left out. */
    static final String REPLY = "what it has told";

    private int unread;

    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable(String property) {
            super(property, null, false, false);
        }
    }

    private PartReader() {}

    /** @return {@code null} if it is none */
    static @Nullable SharedPart read(JsonNode json) {
        if (!(json instanceof ObjectNode)) {
            return null;
        }
        try {
            return new SharedPart(
                    new PartReader().part(json), json.path("shared").asBoolean(false));
        } catch (Unreadable e) {
            return null;
        }
    }

    private NodeStory part(JsonNode json) {
        Instant asOf = time(json, "asOf");
        String foundAs = optional(json, "foundAs");
        List<String> correlationIds = texts(json, "correlationIds");
        List<String> troubles = texts(json, "troubles");
        List<Saga> sagas = list(json, "sagas", this::saga);
        List<Message> messages = list(json, "messages", this::message);
        List<Pause> pauses = list(json, "pauses", PartReader::pause);
        List<Moved> moved = list(json, "moved", PartReader::moved);
        List<Unsent> outbox = list(json, "outbox", PartReader::unsent);
        List<Scheduled> scheduled = list(
                json,
                "scheduled",
                message -> new Scheduled(
                        text(message, "messageId"),
                        constant(message, "status", ScheduledMessage.Status.class),
                        optionalTime(message, "deliverAt")));
        List<Looked> looked = new ArrayList<>(list(
                json,
                "looked",
                look -> new Looked(text(look, "where"), number(look, "found"), optional(look, "note"))));
        if (unread > 0) {
            looked.add(new Looked(
                    REPLY,
                    0,
                    "%s cannot be read by the instance that asked: there are too many, or it may have another version"
                            .formatted(unread == 1 ? "one entry" : unread + " entries")));
        }
        return new NodeStory(
                "",
                "",
                asOf,
                foundAs,
                correlationIds,
                troubles,
                sagas,
                messages,
                pauses,
                moved,
                outbox,
                scheduled,
                looked,
                json.path("truncated").asBoolean(false));
    }

    private Saga saga(JsonNode json) {
        Map<String, Instant> timeouts = new LinkedHashMap<>();
        json.path("timeouts").properties().forEach(timeout -> {
            Instant at = optionalTime(json.path("timeouts"), timeout.getKey());
            if (at != null && timeouts.size() < FEW) {
                timeouts.put(Names.printable(timeout.getKey(), LONGEST), at);
            }
        });
        JsonNode stuck = json.path("stuckOn");
        return new Saga(
                text(json, "saga"),
                text(json, "id"),
                constant(json, "status", SagaStatus.class),
                time(json, "startedAt"),
                time(json, "changedAt"),
                optional(json, "reason"),
                list(
                        json,
                        "steps",
                        step -> new SagaView.Step(
                                text(step, "name"),
                                text(step, "messageId"),
                                text(step, "type"),
                                optional(step, "undo"),
                                constant(step, "status", StepStatus.class))),
                timeouts,
                list(
                        json,
                        "blockedOn",
                        on -> new BlockedOn(text(on, "messageId"), text(on, "type"), node(on), text(on, "reason"))),
                stuck instanceof ObjectNode
                        ? new SagaView.StuckOn(
                                text(stuck, "messageId"),
                                node(stuck),
                                time(stuck, "since"),
                                optional(stuck, "type"),
                                optional(stuck, "exception"),
                                optional(stuck, "text"))
                        : null,
                list(json, "awaited", awaited -> new Awaited(text(awaited, "type"), texts(awaited, "from"))),
                list(
                        json,
                        "history",
                        event -> new SagaView.Event(
                                time(event, "at"),
                                text(event, "what"),
                                optional(event, "repair"),
                                optional(event, "by"))));
    }

    private Message message(JsonNode json) {
        return new Message(
                text(json, "id"),
                text(json, "correlationId"),
                textOrEmpty(json, "type"),
                constant(json, "state", State.class),
                number(json, "retries"),
                optionalTime(json, "claimedUntil"),
                optionalTime(json, "changedAt"),
                list(
                        json,
                        "failures",
                        failure -> new Failure(
                                time(failure, "at"),
                                textOrEmpty(failure, "instance"),
                                Math.max(0, failure.path("millis").asLong(0)),
                                text(failure, "exception"),
                                optional(failure, "text"),
                                optionalTime(failure, "nextAt"))),
                list(
                        json,
                        "published",
                        sent -> new Publication(
                                text(sent, "id"),
                                textOrEmpty(sent, "type"),
                                sent.path("confirmed").asBoolean(false),
                                optionalTime(sent, "dueAt"))),
                number(json, "omitted"),
                line(json.path("line")));
    }

    private static @Nullable Line line(JsonNode json) {
        return json instanceof ObjectNode
                ? new Line(
                        Math.max(-1, json.path("place").asInt(-1)),
                        number(json, "waiting"),
                        optional(json, "head"),
                        json.path("held").asBoolean(false),
                        time(json, "since"),
                        optionalTime(json, "dueAt"))
                : null;
    }

    private static Pause pause(JsonNode json) {
        return new Pause(
                text(json, "type"),
                text(json, "state"),
                time(json, "since"),
                optionalTime(json, "until"),
                optional(json, "reason"),
                optional(json, "by"),
                optional(json, "opened"));
    }

    private static Moved moved(JsonNode json) {
        return new Moved(
                text(json, "messageId"),
                text(json, "correlationId"),
                constant(json, "kind", Moved.Kind.class),
                json.path("older").asBoolean(false),
                time(json, "at"),
                optionalTime(json, "keptUntil"),
                optional(json, "by"),
                optional(json, "reason"));
    }

    private static Unsent unsent(JsonNode json) {
        return new Unsent(
                text(json, "messageId"),
                text(json, "correlationId"),
                textOrEmpty(json, "type"),
                number(json, "attempts"),
                time(json, "storedAt"),
                time(json, "dueAt"));
    }

    private <T> List<T> list(JsonNode json, String name, Function<JsonNode, T> reader) {
        List<T> list = new ArrayList<>();
        int most = name.equals("messages") || name.equals("outbox") || name.equals("published") || name.equals("steps")
                ? MOST
                : FEW;
        for (JsonNode element : json.path(name)) {
            if (list.size() == most) {
                unread += json.path(name).size() - most;
                break;
            }
            try {
                list.add(reader.apply(element));
            } catch (Unreadable e) {
                unread++;
            }
        }
        return list;
    }

    private static List<String> texts(JsonNode json, String name) {
        List<String> texts = new ArrayList<>();
        for (JsonNode element : json.path(name)) {
            if (texts.size() == FEW) {
                break;
            }
            texts.add(Names.printable(element.asString(""), LONGEST));
        }
        return texts;
    }

    private static @Nullable String optional(JsonNode json, String name) {
        JsonNode text = json.path(name);
        return text.isString() ? Names.printable(text.asString(), LONGEST) : null;
    }

    private static String textOrEmpty(JsonNode json, String name) {
        String text = optional(json, name);
        return text == null ? "" : text;
    }

    private static String text(JsonNode json, String name) {
        String text = textOrEmpty(json, name);
        if (text.isEmpty()) {
            throw new Unreadable(name);
        }
        return text;
    }

    /** A name that somebody may look up. */
    private static String node(JsonNode json) {
        String node = text(json, "node");
        if (!Names.isNode(node)) {
            throw new Unreadable("node");
        }
        return node;
    }

    private static int number(JsonNode json, String name) {
        return Math.max(0, json.path(name).asInt(0));
    }

    private static Instant time(JsonNode json, String name) {
        Instant time = optionalTime(json, name);
        if (time == null) {
            throw new Unreadable(name);
        }
        return time;
    }

    private static @Nullable Instant optionalTime(JsonNode json, String name) {
        try {
            Instant time = Instant.parse(json.path(name).asString(""));
            return time.isBefore(EARLIEST) || time.isAfter(LATEST) ? null : time;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static <E extends Enum<E>> E constant(JsonNode json, String name, Class<E> type) {
        String found = json.path(name).asString("");
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(found)) {
                return constant;
            }
        }
        throw new Unreadable(name);
    }
}
