// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.safebunny.spi.store.Fingerprint;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.UnreadableRecordException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordDocumentTest {

    private static final RecordKey KEY = new RecordKey("customer:42", "a.b:c");

    private final RecordDocument documents = new RecordDocument(Duration.ofMillis(1500));

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
    @ValueSource(ints = {0, 3})
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
