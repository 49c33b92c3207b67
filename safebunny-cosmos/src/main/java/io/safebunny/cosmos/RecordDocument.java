// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.store.Retention;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps records to documents and back. Publications and steps are stored as JSON text, which nothing on the way reformats. The fingerprint
 * is text because the service's numbers have only 53 bits. Unknown properties are ignored when reading. Thread-safe.
 */
final class RecordDocument {

    /**
     * The newest format that this version reads. Formats differ only in their fingerprints so far, so a format's number is the version of
     * its fingerprints. A document keeps the format it was created with.
     */
    static final int FORMAT = Fingerprint.SECRET;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Retention retention;

    RecordDocument(Retention retention) {
        this.retention = retention;
    }

    /** Whole seconds, rounded up. */
    private static int seconds(Duration kept) {
        return Math.toIntExact(Math.max(1, Math.min(kept.plusNanos(999_999_999).toSeconds(), Integer.MAX_VALUE)));
    }

    ObjectNode write(MessageRecord record) {
        ObjectNode document = MAPPER.createObjectNode();
        document.put("id", DocumentId.of(record.key().messageId()));
        document.put("correlationId", record.key().correlationId());
        document.put("messageId", record.key().messageId());
        document.put("format", record.fingerprint().version());
        document.put("state", record.state().name());
        document.put("owner", record.owner());
        document.put("version", record.version());
        document.put("attempt", record.attempt());
        document.put("takeovers", record.takeovers());
        document.put("lease", record.lease().toString());
        document.put("fingerprint", text(record.fingerprint()));
        Map<String, String> content = record.content();
        if (!content.isEmpty()) {
            document.put("steps", RecordJson.writeSteps(content));
        }
        if (!record.outgoing().isEmpty()) {
            document.put("outgoing", RecordJson.writeOutgoing(record.outgoing()));
        }
        Listing listing = record.listing();
        if (listing != null) {
            document.set("listing", write(listing));
        }
        if (record.state().isFinal()) {
            document.put("ttl", seconds(retention.of(record.state())));
        }
        return document;
    }

    /** Times are in milliseconds since 1970, by the writer's clock. */
    private static ObjectNode write(Listing listing) {
        ObjectNode object = MAPPER.createObjectNode();
        object.put("kind", listing.kind());
        object.put("status", listing.status());
        object.put("since", listing.createdAt().toEpochMilli());
        Instant dueAt = listing.dueAt();
        if (dueAt != null) {
            object.put("due", dueAt.toEpochMilli());
        }
        return object;
    }

    private static @Nullable Listing listing(ObjectNode document) {
        if (!(document.get("listing") instanceof ObjectNode object)) {
            return null;
        }
        return new Listing(
                text(object, "kind"),
                text(object, "status"),
                Instant.ofEpochMilli(number(object, "since")),
                object.has("due") ? Instant.ofEpochMilli(number(object, "due")) : null);
    }

    static RecordKey keyOf(ObjectNode document) {
        return new RecordKey(
                document.path("correlationId").asText(),
                document.path("messageId").asText());
    }

    /** @throws UnreadableRecordException if {@link #write} cannot have produced it */
    static MessageRecord read(RecordKey key, ObjectNode document) {
        int format = document.path("format").asInt(-1);
        if (format < 1 || format > FORMAT) {
            throw new UnreadableRecordException(key, "format " + format, null);
        }
        try {
            return new MessageRecord(
                    key,
                    RecordState.valueOf(text(document, "state")),
                    text(document, "owner"),
                    number(document, "version"),
                    Math.toIntExact(number(document, "attempt")),
                    Math.toIntExact(number(document, "takeovers")),
                    Duration.parse(text(document, "lease")),
                    fingerprint(format, text(document, "fingerprint")),
                    RecordJson.readSteps(document.path("steps").asText("{}")),
                    RecordJson.readOutgoing(document.path("outgoing").asText("[]")),
                    listing(document),
                    text(document, "_etag"));
        } catch (RuntimeException e) { // each parser throws exceptions of its own type
            throw new UnreadableRecordException(
                    key, "state " + document.path("state").asText("missing"), e);
        }
    }

    private static String text(Fingerprint fingerprint) {
        String high = HexFormat.of().toHexDigits(fingerprint.high());
        return fingerprint.version() == Fingerprint.CHECKSUMS
                ? high
                : high + HexFormat.of().toHexDigits(fingerprint.low());
    }

    private static Fingerprint fingerprint(int version, String text) {
        return version == Fingerprint.CHECKSUMS
                ? new Fingerprint(version, Long.parseUnsignedLong(text, 16), 0)
                : new Fingerprint(
                        version,
                        HexFormat.fromHexDigitsToLong(text, 0, 16),
                        HexFormat.fromHexDigitsToLong(text, 16, text.length()));
    }

    private static String text(ObjectNode document, String name) {
        JsonNode value = document.path(name);
        if (!value.isTextual()) {
            throw new IllegalArgumentException("property %s must be a text".formatted(name));
        }
        return value.asText();
    }

    private static long number(ObjectNode document, String name) {
        JsonNode value = document.path(name);
        if (!value.isNumber()) {
            throw new IllegalArgumentException("property %s must be a number".formatted(name));
        }
        return value.asLong();
    }
}
