// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static io.safebunny.cosmos.CosmosAccount.claim;
import static io.safebunny.cosmos.CosmosAccount.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.message.WireMessage;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.UnreadableRecordException;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the contract of all stores does not say. */
class CosmosMessageStoreIT {

    private final CosmosAsyncContainer container = CosmosAccount.newContainer();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final CosmosMessageStore store =
            new CosmosMessageStore(container, CosmosAccount.RETENTION, CosmosAccount.TIMEOUT, meters);

    @AfterEach
    void deleteContainer() {
        container.delete().onErrorComplete().block();
    }

    @ParameterizedTest
    @EnumSource(RecordState.class)
    void setsATimeToLiveInFinalStatesOnly(RecordState state) {
        MessageRecord created = store.create(claim(key()));

        replaced(created.next(state));

        int days =
                switch (state) {
                    case CLAIMED, RELEASED, PARKED, COMPLETED -> 0;
                    case DISPATCHED, UNDONE -> 7;
                    case POISONED -> 30;
                };
        assertThat(raw(created.key()).path("ttl").asInt(0)).isEqualTo(days * 24 * 60 * 60);
    }

    @Test
    void takesTheTimeToLiveAwayWhenAFinalRecordIsOpenedAgain() {
        MessageRecord poisoned = replaced(store.create(claim(key())).next(RecordState.POISONED));

        MessageRecord replayed = replaced(poisoned.claimedBy("replay", Duration.ofSeconds(30), 0, 0));

        assertThat(raw(poisoned.key()).has("ttl")).isFalse();
        replaced(replayed.dispatched());
        assertThat(raw(poisoned.key()).path("ttl").asInt()).isEqualTo(7 * 24 * 60 * 60);
    }

    @Test
    void neverBringsBackWhatWasDeleted() {
        MessageRecord created = store.create(claim(key()));
        delete(created.key());

        assertThat(store.replace(created.next(RecordState.COMPLETED))).isNull();

        assertThat(store.find(created.key())).isNull();
    }

    @Test
    void createsTheSameMessageIdOncePerPartition() {
        RecordKey here = key();
        RecordKey there = new RecordKey("other:" + here.correlationId(), here.messageId());

        store.create(claim(here));
        replaced(store.create(claim(there)).next(RecordState.COMPLETED));

        assertThat(Objects.requireNonNull(store.find(here)).state()).isEqualTo(RecordState.CLAIMED);
        assertThat(Objects.requireNonNull(store.find(there)).state()).isEqualTo(RecordState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-~1",
                ".",
                "..",
                "a.",
                ":a:",
                "_3A",
                "a/b\\c?d#e;f g%h+ü",
                "1234567890123456789012345678901234567890123456789012345678901234"
                        + "...:...:...:...:...:...:...:...:...:...:...:...:...:...:...:...:"
            })
    void keepsApartAndFindsAllIds(String messageId) {
        String correlationId = ":a.b_c-".repeat(9) + "d"; // 64 characters
        RecordKey key = new RecordKey(correlationId, messageId);

        MessageRecord created = store.create(claim(key));
        replaced(created.next(RecordState.COMPLETED));

        MessageRecord found = Objects.requireNonNull(store.find(key));
        assertThat(found.key()).isEqualTo(key);
        assertThat(found.version()).isEqualTo(2);
        Awaitility.await().untilAsserted(() -> assertThat(store.findCompleted(Duration.ZERO, 10))
                .extracting(MessageRecord::key)
                .containsExactly(key));
    }

    @Test
    void refusesWhatIsAboveItsLimitBeforeItIsSent() {
        MessageRecord created = store.create(claim(key()));

        assertThatThrownBy(() -> store.replace(created.next(RecordState.COMPLETED, List.of(outbound(2_000_000)))))
                .isInstanceOf(RecordTooLargeException.class)
                .hasMessageContaining("limit=" + CosmosMessageStore.MAX_DOCUMENT_SIZE);
        assertThat(charges("replace")).isZero();
    }

    @Test
    void writesWhatIsJustBelowItsLimit() {
        MessageRecord created = store.create(claim(key()));

        replaced(created.next(RecordState.COMPLETED, List.of(outbound(1_490_000))));
    }

    @Test
    void findsCompletedRecordsOldestFirstInManyPages() {
        List<RecordKey> expected = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            MessageRecord created = store.create(claim(key()));
            replaced(created.next(i % 10 == 0 ? RecordState.RELEASED : RecordState.COMPLETED));
            if (i % 10 != 0) {
                expected.add(created.key());
            }
        }

        Awaitility.await().untilAsserted(() -> assertThat(store.findCompleted(Duration.ZERO, 1000))
                .extracting(MessageRecord::key)
                .containsExactlyInAnyOrderElementsOf(expected));
        assertThat(store.findCompleted(Duration.ZERO, 120)).hasSize(120);
        assertThat(store.findCompleted(Duration.ofHours(1), 1000)).isEmpty();
    }

    @Test
    void findsACompletedRecordWhenItIsOldEnoughByTheClockOfTheService() {
        MessageRecord older = replaced(store.create(claim(key())).next(RecordState.COMPLETED));
        Awaitility.await().untilAsserted(() -> assertThat(store.findCompleted(Duration.ofSeconds(2), 10))
                .hasSize(1));
        MessageRecord younger = replaced(store.create(claim(key())).next(RecordState.COMPLETED));

        assertThat(store.findCompleted(Duration.ZERO, 1))
                .extracting(MessageRecord::key)
                .containsExactly(older.key());
        assertThat(store.findCompleted(Duration.ofSeconds(2), 10))
                .extracting(MessageRecord::key)
                .doesNotContain(younger.key());
    }

    @Test
    void refusesARecordOfANewerFormatAndLeavesItOutOfTheSweep() {
        MessageRecord completed = replaced(store.create(claim(key())).next(RecordState.COMPLETED));
        ObjectNode newer = raw(completed.key()).put("format", 4);
        container
                .replaceItem(newer, newer.path("id").asText(), partition(completed.key()))
                .block();

        assertThatThrownBy(() -> store.create(claim(completed.key())))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("format 4");
        assertThat(store.findCompleted(Duration.ZERO, 10)).isEmpty();
    }

    @Test
    void refusesARecordOfAnUnknownState() {
        MessageRecord created = store.create(claim(key()));
        ObjectNode newer = raw(created.key()).put("state", "SUSPENDED");
        container
                .replaceItem(newer, newer.path("id").asText(), partition(created.key()))
                .block();

        assertThatThrownBy(() -> store.find(created.key()))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("SUSPENDED");
    }

    @Test
    void searchesLeaveOutWhatTheyCannotReadAndDoNotCountIt() {
        RecordKey first = key();
        for (int i = 0; i < 4; i++) {
            store.create(claim(new RecordKey(first.correlationId(), "m" + i)));
        }
        alter(new RecordKey(first.correlationId(), "m0"), "format", 4);
        alter(new RecordKey(first.correlationId(), "m1"), "format", "unknown");
        alter(new RecordKey(first.correlationId(), "m2"), "state", "SUSPENDED");

        assertThat(store.findCorrelated(first.correlationId(), 10))
                .extracting(dated -> dated.record().key().messageId())
                .containsExactly("m3");
        assertThat(store.findCorrelated(first.correlationId(), 1)).hasSize(1);
    }

    private void alter(RecordKey key, String property, Object value) {
        ObjectNode newer = raw(key).putPOJO(property, value);
        container.replaceItem(newer, newer.path("id").asText(), partition(key)).block();
    }

    @Test
    void largeRecordsEndASearch() {
        String correlationId = key().correlationId();
        for (int i = 10; i < 24; i++) {
            store.create(claim(new RecordKey(correlationId, "m" + i))
                    .withSteps(Map.of("step", "\"" + "x".repeat(1_400_000) + "\"")));
        }

        List<DatedRecord> found = store.findCorrelated(correlationId, 200);

        assertThat(found).hasSize(12);
        assertThat(DatedRecord.holdMuch(found)).isTrue();
    }

    @Test
    void ignoresPropertiesItDoesNotKnow() {
        MessageRecord created = store.create(claim(key()));
        ObjectNode newer = raw(created.key()).put("later", "unknown");
        container
                .replaceItem(newer, newer.path("id").asText(), partition(created.key()))
                .block();

        assertThat(store.find(created.key())).isNotNull();
    }

    @Test
    void countsTheChargeOfEachCallOnce() {
        MessageRecord created = store.create(claim(key()));
        store.create(claim(created.key()));
        replaced(created.next(RecordState.COMPLETED));
        store.replace(created.next(RecordState.COMPLETED));
        Awaitility.await().until(() -> !store.findCompleted(Duration.ZERO, 10).isEmpty());

        assertThat(charges("create")).as("created, conflict").isEqualTo(2);
        assertThat(charges("read")).as("after the conflict").isEqualTo(1);
        assertThat(charges("replace")).as("replaced, fenced off").isEqualTo(2);
        assertThat(charges("query")).isPositive();
        assertThat(meters.get("safebunny.cosmos.request.charge")
                        .tag("operation", "replace")
                        .summary()
                        .totalAmount())
                .isPositive();
    }

    @Test
    void doesNotTakeAMissingContainerForAMissingRecord() {
        MessageRecord created = store.create(claim(key()));
        container.delete().block();

        assertThatThrownBy(() -> store.create(claim(key()))).isInstanceOf(StoreUnavailableException.class);
        assertThat(created.version()).isEqualTo(1);
    }

    // ---- details

    private MessageRecord replaced(MessageRecord record) {
        @Nullable MessageRecord replaced = store.replace(record);
        return Objects.requireNonNull(replaced);
    }

    private long charges(String operation) {
        return meters.get("safebunny.cosmos.request.charge")
                .tag("operation", operation)
                .summary()
                .count();
    }

    private ObjectNode raw(RecordKey key) {
        var response = container
                .readItem(DocumentId.of(key.messageId()), partition(key), ObjectNode.class)
                .block();
        return Objects.requireNonNull(response).getItem();
    }

    private void delete(RecordKey key) {
        container.deleteItem(DocumentId.of(key.messageId()), partition(key)).block();
    }

    private static PartitionKey partition(RecordKey key) {
        return new PartitionKey(key.correlationId());
    }

    private static OutboundMessage outbound(int size) {
        WireMessage message = new WireMessage(
                "1",
                "c",
                "orders-OrderPlaced",
                "orders",
                1L,
                "text/plain",
                null,
                Map.of(),
                "x".repeat(size).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return new OutboundMessage(message, new Route.ToSubscribers("orders-OrderPlaced"), Duration.ZERO);
    }
}
