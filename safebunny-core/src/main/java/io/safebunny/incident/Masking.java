// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import io.safebunny.actuate.BodyMasker;
import io.safebunny.bodies.BodyReference;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.incident.Incident.BodyLook;
import io.safebunny.incident.Incident.Look;
import io.safebunny.incident.Incident.StateLook;
import io.safebunny.incident.writing.JsonLayout;
import io.safebunny.message.Encodings;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.poison.Verdict;
import io.safebunny.saga.SagaView;
import io.safebunny.serialization.CodecException;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Masks what goes into one test or sample, and remembers what was masked and what is shown. Confined to one thread. */
public final class Masking {

    private static final Logger LOG = LoggerFactory.getLogger(Masking.class);

    /** How sentences begin that a masker shows instead of a content. */
    private static final String NOT_SHOWN = "not shown: ";

    /** A body that cannot be shown, but must be JSON. */
    private static final String NOTHING = "{}";

    private static final long LARGEST = 4L << 20;

    private final BodyMasker masker;
    private final Codecs codecs;
    private final Serializers serializers;
    private final Set<String> masked = new LinkedHashSet<>();
    private final Set<Look> looks = new LinkedHashSet<>();

    public Masking(BodyMasker masker, Codecs codecs, Serializers serializers) {
        this.masker = masker;
        this.codecs = codecs;
        this.serializers = serializers;
    }

    /** What was masked, in sentences. */
    List<String> told() {
        return List.copyOf(masked);
    }

    void addNote(String sentence) {
        masked.add(sentence);
    }

    List<Look> looks() {
        return List.copyOf(looks);
    }

    /**
     * The body as text. If the masker does not show it, what it says instead, which is no JSON.
     *
     * @param known a value that is shown, because it is no secret; {@code null} for none
     */
    public String body(PoisonedMessage message, byte[] body, @Nullable String known) {
        String what = "the body of %s".formatted(Names.printable(message.type()));
        String stored = new String(body, StandardCharsets.UTF_8);
        if (!isText(body)) {
            masked.add("Not as it was: %s is not UTF-8, and is as far as it can be text.".formatted(what));
        }
        String shown = shown(what, () -> masker.mask(message, body), stored, known);
        if (isShown(shown, stored)) {
            boolean isDecrypted = codecs.isHidden(Encodings.of(message.encoding()));
            looks.add(new BodyLook(message.messageId(), message.digest(), isDecrypted));
        }
        return shown;
    }

    /** Whether the body is UTF-8. */
    static boolean isText(byte[] body) {
        return Arrays.equals(new String(body, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8), body);
    }

    /** The state as the masker shows it; empty if it shows nothing that a state could be. */
    public ObjectNode state(SagaView saga, ObjectNode state) {
        String shown = shown("the state", () -> masker.maskState(saga), saga.state(), null);
        if (isShown(shown, saga.state())) {
            looks.add(new StateLook(saga.saga(), saga.id()));
        }
        if (JsonLayout.tree(shown) instanceof ObjectNode tree) {
            return tree;
        }
        masked.add("The state is empty here, because what the BodyMasker shows of it is no JSON object.");
        return JsonNodeFactory.instance.objectNode();
    }

    /** The application's headers, as text for people. */
    String headers(PoisonedMessage message) {
        Map<String, Object> shown = message.headers().isEmpty() ? Map.of() : maskedHeaders(message);
        if (shown.isEmpty()) {
            return "";
        }
        looks.add(new BodyLook(message.messageId(), message.digest(), false));
        return String.valueOf(shown);
    }

    private Map<String, Object> maskedHeaders(PoisonedMessage message) {
        try {
            return masker.maskHeaders(message);
        } catch (RuntimeException e) {
            warn("headers of a " + Names.printable(message.type()), e);
            return Map.of();
        }
    }

    /** A command or undo within a saga, with its body masked and decoded, and without the application's headers. */
    OutboundMessage message(OutboundMessage kept) {
        WireMessage wire = kept.message();
        PoisonedMessage known = described(wire, "", "");
        byte[] stored = decoded(wire);
        byte[] json = stored == null ? null : serializers.toJson(stored, String.valueOf(wire.contentType()));
        String body = stored == null ? NOTHING : body(known, json == null ? stored : json, null);
        Map<String, Object> headers = new LinkedHashMap<>(BodyReference.without(wire.headers()));
        headers.keySet().removeIf(name -> !name.startsWith("sb-"));
        return kept.withMessage(new WireMessage(
                wire.messageId(),
                wire.correlationId(),
                wire.type(),
                wire.appId(),
                wire.timestamp(),
                json == null ? wire.contentType() : Serializers.JSON_TYPE,
                null,
                headers,
                (JsonLayout.tree(body) == null ? NOTHING : body).getBytes(StandardCharsets.UTF_8)));
    }

    /** Its body, decoded; {@code null} if that cannot be done. */
    public byte @Nullable [] decoded(WireMessage wire) {
        if (Encodings.of(wire.contentEncoding()).isEmpty() && !BodyReference.isIn(wire.headers())) {
            return wire.body();
        }
        try {
            return codecs.decoded(EnvelopeReader.read(wire, codecs::isKnown), LARGEST)
                    .body();
        } catch (RuntimeException e) {
            boolean isTooLarge = (e instanceof CodecException failure && failure.isTooLarge())
                    || (e instanceof InvalidMessageException invalid && invalid.reason() == PoisonReason.TOO_LARGE);
            String cannotBe = BodyReference.isIn(wire.headers()) ? "cannot be fetched or decoded" : "cannot be decoded";
            masked.add("The body of %s %s, and is {} here."
                    .formatted(
                            Names.printable(String.valueOf(wire.type())),
                            isTooLarge ? "has more than 4 MiB when decoded" : cannotBe));
            return null;
        }
    }

    /** A message that a saga has sent, as maskers know messages. */
    public static PoisonedMessage described(WireMessage wire, String queue, String reason) {
        return new PoisonedMessage(
                "",
                String.valueOf(wire.messageId()),
                String.valueOf(wire.correlationId()),
                String.valueOf(wire.type()),
                reason,
                queue,
                null,
                "",
                "",
                BodyReference.length(wire.headers(), wire.body()),
                Objects.requireNonNullElse(wire.contentEncoding(), ""),
                Headers.application(wire.headers()),
                Verdict.UNKNOWN,
                "");
    }

    private String shown(String what, Supplier<String> mask, String stored, @Nullable String known) {
        String shown;
        try {
            shown = mask.get();
        } catch (RuntimeException e) {
            warn(what, e);
            shown = NOT_SHOWN + "the BodyMasker failed with " + e.getClass().getName();
        }
        if (shown.equals(stored)) {
            return stored;
        }
        JsonNode seen = JsonLayout.tree(shown);
        JsonNode original = JsonLayout.tree(stored);
        if (seen == null || original == null) {
            masked.add(
                    isShown(shown, stored)
                            ? "Masked: %s.".formatted(what)
                            : "Masked: %s, of which the BodyMasker shows nothing (%s).".formatted(what, shown));
            return shown;
        }
        if (known != null) {
            seen = restored(seen, original, known);
            shown = ExactTree.write(seen);
        }
        if (seen.equals(original)) {
            return stored; // as it was laid out
        }
        Set<String> paths = new LinkedHashSet<>();
        collect(paths, "", seen, original);
        masked.add("Masked in %s: %s.".formatted(what, paths.isEmpty() ? "something" : String.join(", ", paths)));
        return shown;
    }

    private static boolean isShown(String shown, String stored) {
        return shown.equals(stored) || !shown.startsWith(NOT_SHOWN);
    }

    /** What is seen, but with each value that is the known text. */
    private static JsonNode restored(JsonNode seen, JsonNode original, String known) {
        if (seen instanceof ObjectNode object && original.isObject()) {
            for (String name : List.copyOf(object.propertyNames())) {
                object.set(name, restored(object.path(name), original.path(name), known));
            }
            return object;
        }
        if (seen instanceof ArrayNode array && original.isArray() && array.size() == original.size()) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, restored(array.path(i), original.path(i), known));
            }
            return array;
        }
        return original.isValueNode() && original.asString("").equals(known) ? original : seen;
    }

    /** Names only what the masker shows: names that it leaves out may be secret, too. */
    private static void collect(Set<String> paths, String path, JsonNode seen, JsonNode original) {
        if (seen.equals(original)) {
            return;
        }
        if (seen.isObject() && original.isObject()) {
            for (String name : original.propertyNames()) {
                if (seen.has(name)) {
                    collect(paths, path.isEmpty() ? name : path + "." + name, seen.path(name), original.path(name));
                } else {
                    paths.add(path.isEmpty() ? "fields that are left out" : path);
                }
            }
        } else if (seen.isArray() && original.isArray() && seen.size() == original.size()) {
            for (int i = 0; i < seen.size(); i++) {
                collect(paths, path, seen.path(i), original.path(i));
            }
        } else {
            paths.add(path.isEmpty() ? "all" : path);
        }
    }

    private static void warn(String what, RuntimeException failure) {
        LOG.warn("The BodyMasker failed, so {} is not shown", what, ExceptionDetails.TYPE_ONLY.logged(failure));
    }
}
