// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import io.safebunny.bodies.BodyReference;
import io.safebunny.encryption.EncryptedTypes;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handler.scanning.BodyVersions;
import io.safebunny.incident.Masking;
import io.safebunny.message.Encodings;
import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.WireMessage;
import io.safebunny.node.Codecs;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.JsonProbe;
import io.safebunny.serialization.json.Serializers;
import io.safebunny.upgrade.UpgradeSample.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Takes some messages of each type and version into a sample. Confined to one thread. */
final class SampledMessages {

    /** Of a body. */
    static final int LARGEST = 64 * 1024;

    /** Of all bodies; and once more of all states. */
    static final long ROOM = 4L << 20;

    /** Of the copies that are kept while others are looked at. */
    private static final long KEPT = 4 * ROOM;

    private final Codecs codecs;
    private final Serializers serializers;
    private final @Nullable JsonMessageSerializer reader;
    private final @Nullable JsonProbe probe;
    private final Map<String, Known> known;
    private final Masking masking;
    private final Omissions omissions;
    private final Pseudonyms ids;
    private final int most;
    private final List<Message> taken = new ArrayList<>();
    private final Map<String, Integer> kept = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private long room = ROOM;
    private long keptBytes;

    /** @param known what is known of each type */
    SampledMessages(
            Codecs codecs,
            Serializers serializers,
            Map<String, Known> known,
            Masking masking,
            Omissions omissions,
            Pseudonyms ids,
            int most) {
        this.codecs = codecs;
        this.serializers = serializers;
        this.reader = serializers.readerOf(Serializers.JSON_TYPE) instanceof JsonMessageSerializer json ? json : null;
        this.probe = reader == null ? null : JsonProbe.of(reader);
        this.known = known;
        this.masking = masking;
        this.omissions = omissions;
        this.ids = ids;
        this.most = most;
    }

    /**
     * The class of a type.
     *
     * @param handler {@code null} if it is only published
     */
    record Known(
            java.lang.reflect.Type type,
            Class<?> payload,
            @Nullable HandlerDefinition handler) {

        static Known of(HandlerDefinition handler) {
            return new Known(handler.payloadType(), handler.payloadClass(), handler);
        }

        BodyVersions versions() {
            return BodyVersions.of(type);
        }
    }

    List<Message> taken() {
        return taken;
    }

    /** Whether a copy is kept while others are looked at; what is not is counted as left out. */
    boolean isKept(WireMessage wire) {
        String type = String.valueOf(wire.type());
        if (MessageTypes.isReserved(type)) {
            return false;
        }
        if (wire.body().length > LARGEST) {
            omissions.add(type, tooLarge());
            return false;
        }
        keptBytes += wire.body().length;
        boolean fits = keptBytes <= KEPT;
        boolean isKept = kept.merge(counted(wire), 1, Integer::sum) <= 2 * most && fits;
        if (!isKept) {
            keptBytes -= wire.body().length;
            omissions.add(type, fits ? enough() : "does not fit: copies of %s bytes are looked at".formatted(KEPT));
        }
        return isKept;
    }

    private static String counted(WireMessage wire) {
        return wire.type() + " " + Headers.version(wire.headers());
    }

    private String enough() {
        return "has more messages than the %s of each version that are taken".formatted(most);
    }

    private static String tooLarge() {
        return "has a body of more than %s bytes".formatted(LARGEST);
    }

    /** @param source where it is */
    void add(WireMessage wire, String source) {
        String type = String.valueOf(wire.type());
        String id = String.valueOf(wire.messageId());
        if (MessageTypes.isReserved(type) || seen.contains(id)) {
            return;
        }
        seen.add(id);
        String why = whyNot(wire, type);
        if (why != null) {
            omissions.add(type, why);
            return;
        }
        JsonNode body = body(wire, type, Objects.requireNonNull(known.get(type)));
        if (body != null) {
            counts.merge(counted(wire), 1, Integer::sum);
            taken.add(new Message(
                    ids.of(id),
                    ids.of(String.valueOf(wire.correlationId())),
                    type,
                    Headers.version(wire.headers()),
                    source,
                    body));
        }
    }

    /** Why a message is left out; {@code null} if nothing is known against it. */
    private @Nullable String whyNot(WireMessage wire, String type) {
        Known of = known.get(type);
        if (of == null) {
            return "is of a class that this instance does not know: it has neither a handler for it, nor published it since its start";
        }
        if (codecs.isHidden(Encodings.of(wire.contentEncoding())) || EncryptedTypes.of(of.payload()) != null) {
            return "is encrypted, and stays so, also what is about erased persons";
        }
        if (BodyReference.length(wire.headers(), wire.body()) > LARGEST) {
            return tooLarge();
        }
        if (Headers.version(wire.headers()) > of.versions().present()) {
            return "has a newer version than this instance knows";
        }
        if (counts.getOrDefault(counted(wire), 0) >= most) {
            return enough();
        }
        return room < LARGEST ? "does not fit: the sample has %s bytes of bodies".formatted(ROOM - room) : null;
    }

    private @Nullable JsonNode body(WireMessage wire, String type, Known of) {
        byte[] decoded = masking.decoded(wire);
        if (decoded == null) {
            omissions.add(type, "has a body that cannot be fetched or decoded");
            return null;
        }
        byte[] asJson = serializers.toJson(decoded, Objects.requireNonNullElse(wire.contentType(), ""));
        byte[] stored = asJson == null ? decoded : asJson;
        if (stored.length > LARGEST) {
            omissions.add(type, tooLarge());
            return null;
        }
        JsonNode tree = tree(new String(stored, StandardCharsets.UTF_8));
        JsonMessageSerializer json = reader;
        JsonProbe probing = probe;
        if (tree == null || json == null || probing == null) {
            omissions.add(type, tree == null ? "is not JSON" : "is read by a serializer of the application's own");
            return null;
        }
        JsonNode shown = tree(masking.body(Masking.described(wire, "", ""), stored, null));
        if (shown == null) {
            omissions.add(type, "is not shown by the BodyMasker");
            return null;
        }
        int version = Headers.version(wire.headers());
        JsonNode masked = new MaskedJson(
                        type,
                        of.type(),
                        probing,
                        body -> Objects.requireNonNull(
                                tree(new String(upcast(of, body, version), StandardCharsets.UTF_8))),
                        body -> read(of, json, body, version))
                .of(tree, shown, version == of.versions().present(), omissions);
        room -= masked == null ? 0 : stored.length;
        return masked;
    }

    private static byte[] upcast(Known of, JsonNode body, int version) {
        return of.versions()
                .upcast(ExactTree.write(body).getBytes(StandardCharsets.UTF_8), version, Serializers.JSON_TYPE);
    }

    private static void read(Known of, JsonMessageSerializer reader, JsonNode body, int version) {
        Object payload = reader.deserialize(upcast(of, body, version), of.type());
        if (of.handler() != null) {
            of.handler().invoker().check(payload);
        }
    }

    /** {@code null} if it is no JSON. */
    static @Nullable JsonNode tree(String text) {
        try {
            JsonNode tree = ExactTree.read(text);
            return tree.isMissingNode() ? null : tree;
        } catch (JacksonException e) {
            return null;
        }
    }
}
