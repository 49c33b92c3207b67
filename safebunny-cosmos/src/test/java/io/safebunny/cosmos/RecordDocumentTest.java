// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.store.Retention;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordDocumentTest {

    private static final RecordKey KEY = new RecordKey("customer:42", "a.b:c");

    private final RecordDocument documents =
            new RecordDocument(new Retention(Duration.ofMillis(1500), Duration.ofMillis(2500)));

    private static MessageRecord record() {
        return MessageRecord.claim(
                KEY,
                "owner",
                Duration.ofSeconds(30).plusNanos(1),
                3,
                new Fingerprint(Fingerprint.SHA256, Long.MIN_VALUE, 7));
    }

    @Test
    void readsWhatItWrote() {
        MessageRecord record = record().withTakeovers(2).withSteps(Map.of("", "{\"ä\":1}"));
        ObjectNode document = documents.write(record).put("_etag", "\"1\"");

        assertThat(RecordDocument.read(KEY, document)).isEqualTo(record.withEtag("\"1\""));
        assertThat(RecordDocument.keyOf(document)).isEqualTo(KEY);
    }

    /** Whoever looks at a container for what is due needs numbers. */
    @Test
    void writesAListingAsPropertiesOfItsOwn() {
        Instant time = Instant.ofEpochMilli(1_900_000_000_123L);
        RecordKey key = RecordKey.companion("customer:42", "saga");
        MessageRecord companion = MessageRecord.companion(
                key, "owner", new Listing("Order", "RUNNING", time, time.plusMillis(1)), Map.of("saga", "{}"));
        ObjectNode document = documents.write(companion).put("_etag", "\"1\"");

        assertThat(document.path("listing").toString())
                .isEqualTo("{\"kind\":\"Order\",\"status\":\"RUNNING\",\"since\":1900000000123,\"due\":1900000000124}");
        assertThat(RecordDocument.read(key, document)).isEqualTo(companion.withEtag("\"1\""));
        MessageRecord never = companion.nextContent(
                RecordState.DISPATCHED, "owner", new Listing("Order", "DONE", time, null), Map.of());
        assertThat(documents.write(never).path("listing").has("due")).isFalse();
        assertThat(documents.write(record()).has("listing")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kind", "status", "since"})
    void refusesAListingWithout(String property) {
        RecordKey key = RecordKey.companion("customer:42", "saga");
        Listing listing = new Listing("Order", "RUNNING", Instant.EPOCH, null);
        ObjectNode document = documents
                .write(MessageRecord.companion(key, "owner", listing, Map.of()))
                .put("_etag", "\"1\"");
        document.withObject("/listing").remove(property);

        assertThatThrownBy(() -> RecordDocument.read(key, document)).isInstanceOf(UnreadableRecordException.class);
    }

    @Test
    void readsWhatAnEarlierVersionWroteAndLeavesItReadableForIt() {
        ObjectNode document =
                documents.write(record()).put("_etag", "\"1\"").put("format", 1).put("fingerprint", "12ab");

        MessageRecord read = RecordDocument.read(KEY, document);
        assertThat(read.fingerprint()).isEqualTo(new Fingerprint(Fingerprint.CHECKSUMS, 0x12ab, 0));
        ObjectNode written = documents.write(read.next(RecordState.RELEASED));
        assertThat(written.path("format").asInt()).isEqualTo(1);
        assertThat(Long.parseUnsignedLong(written.path("fingerprint").asText(), 16))
                .isEqualTo(0x12ab);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4})
    void refusesWhatAnotherVersionWrote(int format) {
        ObjectNode document = documents.write(record()).put("_etag", "\"1\"").put("format", format);

        assertThatThrownBy(() -> RecordDocument.read(KEY, document)).isInstanceOf(UnreadableRecordException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"12ab", "0123456789abcdef0123456789abcdex", "0123456789abcdef0123456789abcdef0"})
    void refusesAFingerprintOfAnotherLength(String fingerprint) {
        ObjectNode document = documents.write(record()).put("_etag", "\"1\"").put("fingerprint", fingerprint);

        assertThatThrownBy(() -> RecordDocument.read(KEY, document)).isInstanceOf(UnreadableRecordException.class);
    }

    @Test
    void roundsTheRetentionUpToWholeSeconds() {
        assertThat(documents
                        .write(record().next(RecordState.DISPATCHED))
                        .path("ttl")
                        .asInt())
                .isEqualTo(2);
        assertThat(documents
                        .write(record().next(RecordState.POISONED))
                        .path("ttl")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void aClaimIsSmall() {
        assertThat(documents.write(record()).toString()).hasSizeLessThan(300);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"state", "owner", "version", "attempt", "takeovers", "lease", "fingerprint", "_etag", "format"})
    void refusesADocumentWithout(String property) {
        ObjectNode document = documents.write(record()).put("_etag", "\"1\"");
        document.remove(property);

        assertThatThrownBy(() -> RecordDocument.read(KEY, document)).isInstanceOf(UnreadableRecordException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"steps", "outgoing"})
    void refusesContentThatIsNotJson(String property) {
        ObjectNode document = documents.write(record()).put("_etag", "\"1\"").put(property, "{");

        assertThatThrownBy(() -> RecordDocument.read(KEY, document)).isInstanceOf(UnreadableRecordException.class);
    }
}
