// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.upgrade;

import io.safebunny.PoisonMessageException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.SafeBunnyException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.JsonProbe;
import io.safebunny.serialization.json.JsonProbe.Found;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.test.upgrade.UpgradeFinding.Kind;
import io.safebunny.upgrade.UpgradeSample;
import io.safebunny.upgrade.UpgradeSample.Message;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the messages of a sample with the new classes, and writes them again. Confined to one thread. */
final class BodyCheck {

    private final UpgradeSample sample;
    private final Map<String, HandlerDefinition> handlers;
    private final Serializers serializers;
    private final Map<String, Class<?>> published;
    private final Findings findings;
    private final Map<String, WrittenAgain> comparisons = new TreeMap<>();
    private final @Nullable JsonMessageSerializer json;
    private final @Nullable JsonProbe probe;

    /** @param published classes that are only published, by type */
    BodyCheck(
            UpgradeSample sample,
            List<HandlerDefinition> handlers,
            Serializers serializers,
            Map<String, Class<?>> published,
            Findings findings) {
        this.sample = sample;
        this.handlers = handlers.stream().collect(Collectors.toMap(HandlerDefinition::type, Function.identity()));
        this.serializers = serializers;
        this.published = published;
        this.findings = findings;
        this.json = serializers.readerOf(Serializers.JSON_TYPE) instanceof JsonMessageSerializer own ? own : null;
        this.probe = json == null ? null : JsonProbe.of(json);
    }

    void run() {
        for (UpgradeSample.Type type : sample.handled()) {
            if (handlers.containsKey(type.type())) {
                requireVersion(type);
            } else {
                findings.add(
                        Kind.UNHANDLED_TYPE,
                        type.type(),
                        "",
                        "The running version takes it from %s, and the new one does not: what is on its way or set aside is handled by nobody."
                                .formatted(type.from()),
                        "Keep its handler until its queue and the poison queue have none, or give the class its old name by @BunnyMessage(\"%s\")."
                                .formatted(type.type()));
            }
        }
        sample.published().stream()
                .filter(type -> published.containsKey(type.type()) && !handlers.containsKey(type.type()))
                .forEach(this::requireVersion);
        JsonMessageSerializer reader = json;
        if (reader == null) {
            findings.unchecked("Messages: JSON is read by a serializer of the application's own.");
            return;
        }
        tellUnseen();
        sample.messages().forEach(message -> check(message, reader));
        comparisons.forEach(this::tell);
    }

    private void tellUnseen() {
        Set<String> seen = sample.messages().stream().map(Message::type).collect(Collectors.toSet());
        sample.handled().stream()
                .map(UpgradeSample.Type::type)
                .filter(type -> !seen.contains(type))
                .forEach(type -> findings.unchecked("%s: no message of it is in the sample.".formatted(type)));
    }

    private @Nullable Type classOf(String type) {
        HandlerDefinition handler = handlers.get(type);
        return handler == null ? published.get(type) : handler.payloadType();
    }

    /** {@code null} if the class has none that can be used, which is told. */
    private @Nullable BodyVersions versionsOf(String type, Type payload) {
        try {
            return BodyVersions.of(payload);
        } catch (ConfigurationException e) {
            findings.add(Kind.MISSING_UPCASTER, type, "", e.problem(), e.action());
            return null;
        }
    }

    private void requireVersion(UpgradeSample.Type before) {
        Type payload = classOf(before.type());
        BodyVersions now = payload == null ? null : versionsOf(before.type(), payload);
        if (now != null && before.version() > now.present()) {
            findings.add(
                    Kind.LOWER_VERSION,
                    before.type(),
                    "",
                    "The running version has bodies of version %s, and the new class reads up to %s: these messages wait for an instance of the running version."
                            .formatted(before.version(), now.present()),
                    "Write @BunnyMessage(version = %s) on the class, or a higher one with upcasters."
                            .formatted(before.version()));
        }
    }

    private static String where(Message message) {
        return "%s (%s, version %s)".formatted(message.id(), message.source(), message.version());
    }

    private void check(Message message, JsonMessageSerializer reader) {
        String type = message.type();
        Type payload = classOf(type);
        if (payload == null) {
            if (sample.handled().stream().noneMatch(before -> before.type().equals(type))) {
                findings.unchecked("%s is published and not handled: name its class with publishing(%s.class)."
                        .formatted(type, type));
            }
            return;
        }
        BodyVersions now = versionsOf(type, payload);
        boolean isOnlyWritten = !handlers.containsKey(type);
        if (now == null
                || message.version() > now.present() // which is told of the type
                || (isOnlyWritten && message.version() < now.present())) {
            return;
        }
        findings.reading();
        byte[] body;
        try {
            body = now.upcast(bytes(message.body()), message.version(), Serializers.JSON_TYPE);
        } catch (SerializationException e) {
            findings.add(
                    Kind.FAILING_UPCASTER,
                    type,
                    where(message),
                    e.messageWithoutCode() + '.',
                    "Correct it: it must take every body of its version that was ever sent.");
            return;
        }
        Object value = value(message, payload, reader, body, now);
        if (value != null) {
            compare(message, payload, body, now, value);
        }
    }

    private static byte[] bytes(JsonNode tree) {
        return ExactTree.write(tree).getBytes(StandardCharsets.UTF_8);
    }

    /** {@code null} if it cannot be read or is not taken. */
    private @Nullable Object value(
            Message message, Type payload, JsonMessageSerializer reader, byte[] body, BodyVersions now) {
        String type = message.type();
        Object value;
        try {
            value = reader.deserialize(body, payload);
        } catch (SerializationException e) {
            Kind kind = handlers.containsKey(type) ? Kind.UNREADABLE_BODY : Kind.UNREADABLE_FOR_OLD;
            findings.add(kind, type, where(message), e.messageWithoutCode() + '.', remedy(message, now));
            return null;
        }
        HandlerDefinition handler = handlers.get(type);
        try {
            if (handler != null) {
                handler.invoker().check(value);
            }
            return value;
        } catch (PoisonMessageException e) {
            findings.add(
                    Kind.INVALID_BODY,
                    type,
                    where(message),
                    "Its handler takes only valid payloads: %s".formatted(e.messageWithoutCode()),
                    "Loosen the constraint until the messages that were sent before have been handled. Otherwise: "
                            + remedy(message, now));
            return null;
        }
    }

    private static String remedy(Message message, BodyVersions now) {
        return message.version() < now.present()
                ? "Correct the upcaster from version %s: what it makes of the body is not what the class reads."
                        .formatted(message.version())
                : "Raise @BunnyMessage(version = %s), and add @Upcast(from = %s) static ObjectNode upcast(ObjectNode body); or let the class read it as before."
                        .formatted(now.present() + 1, now.present());
    }

    private void compare(Message message, Type payload, byte[] body, BodyVersions now, Object value) {
        String type = message.type();
        Found found;
        try {
            found = Objects.requireNonNull(probe).read(body, payload);
        } catch (SerializationException e) {
            findings.unchecked("Whether %s loses properties: %s.".formatted(type, e.messageWithoutCode()));
            return;
        }
        if (handlers.containsKey(type) && !found.unread().isEmpty() && !isOfRunning(message)) {
            findings.unchecked(
                    "Whether %s loses properties of version %s: what its upcasters leave may have been unread before."
                            .formatted(type, message.version()));
        }
        for (String place : handlers.containsKey(type) && isOfRunning(message) ? found.unread() : Set.<String>of()) {
            String property = found.named(place);
            findings.add(
                    Kind.LOST_PROPERTY,
                    type + '.' + property,
                    where(message),
                    "The running version reads it, and nothing in the new class does.",
                    "If it has another name now: %s If nobody needs it: name it in @JsonIgnoreProperties, or accept this finding."
                            .formatted(remedy(message, now)));
        }
        if (isWritten(type) && message.version() == now.present()) {
            JsonNode written = written(value);
            if (written == null) {
                findings.unchecked(
                        "What the new version writes of %s: its format cannot be shown as JSON.".formatted(type));
            } else {
                comparisons
                        .computeIfAbsent(type, unused -> new WrittenAgain())
                        .add(message.body(), written, found, false);
            }
        }
    }

    /** Of another, the running version may leave something unread as well. */
    private boolean isOfRunning(Message message) {
        return sample.handled().stream()
                .anyMatch(before -> before.type().equals(message.type()) && before.version() == message.version());
    }

    /** Whether this application publishes it, as far as is known. */
    private boolean isWritten(String type) {
        return published.containsKey(type)
                || Stream.concat(sample.published().stream(), sample.handled().stream())
                        .filter(before -> before.type().equals(type))
                        .anyMatch(before ->
                                before.from().isEmpty() || before.from().contains(sample.node()));
    }

    private @Nullable JsonNode written(Object value) {
        try {
            MessageSerializer writer = serializers.writerOf(value.getClass());
            byte[] written = writer.serialize(value);
            byte[] shown = JsonMessageSerializer.isJson(writer.contentType()) ? written : writer.toJson(written);
            return shown == null ? null : ExactTree.read(new String(shown, StandardCharsets.UTF_8));
        } catch (SafeBunnyException e) {
            return null;
        }
    }

    private void tell(String type, WrittenAgain comparison) {
        comparison
                .differences()
                .forEach((property, how) -> findings.add(
                        Kind.UNREADABLE_FOR_OLD,
                        property.isEmpty() ? type : type + '.' + property,
                        "",
                        "The running version has always written it, and the new one %s: instances of that version, and nodes that have the class as it was, do not read it as before."
                                .formatted(how),
                        "Go on writing it, or raise @BunnyMessage(version): then they wait for their new version."));
    }
}
