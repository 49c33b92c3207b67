// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static io.safebunny.cosmos.CosmosAccount.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosItemSerializer;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.message.WireMessage;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.database.CosmosProxy;
import io.safebunny.test.database.CosmosProxy.Kind;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is known of one correlation id, and nothing else. */
@Tag("once")
class CosmosRecordsIT {

    private static final String SAGA = "customer:42";

    private final CosmosProxy proxy = CosmosProxy.before(CosmosAccount.server());
    private final CosmosAsyncClient client =
            CosmosAccount.builder(proxy.endpoint()).buildAsyncClient();
    private final String name = CosmosAccount.newName();
    private final CosmosAsyncContainer container = CosmosContainers.open(client, CosmosAccount.options(name));
    private final CosmosMessageStore store = CosmosAccount.store(container);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final CosmosRecords records = records(client, name, CosmosAccount.TIMEOUT);

    private CosmosRecords records(CosmosAsyncClient by, String of, Duration timeout) {
        return new CosmosRecords(by, CosmosAccount.options(of), timeout, meters);
    }

    @AfterEach
    void close() {
        proxy.heal();
        container.delete().onErrorComplete().block();
        client.close();
        proxy.close();
    }

    @Test
    void givesWhatPointReadsGiveAndNothingOfOtherPartitions() {
        List<RecordKey> keys = new ArrayList<>();
        for (RecordState state : RecordState.values()) {
            MessageRecord record = store.create(claim(key()).withSteps(Map.of("charged", "{\"ä\":1}")));
            store.replace(state == RecordState.COMPLETED ? record.completed(List.of(outbound())) : record.next(state));
            keys.add(record.key());
        }
        RecordKey companion = RecordKey.companion(SAGA, "state");
        store.create(claim(companion));
        keys.add(companion);
        store.create(claim(new RecordKey("customer:4", "1")));
        store.create(claim(new RecordKey("CUSTOMER:42", "2")));

        assertThat(records.ofCorrelation(SAGA))
                .usingRecursiveFieldByFieldElementComparator() // bodies are arrays
                .containsExactlyInAnyOrderElementsOf(keys.stream()
                        .map(key -> Objects.requireNonNull(store.find(key)))
                        .toList());
        assertThat(records.ofCorrelation(SAGA))
                .filteredOn(record -> record.key().isCompanion())
                .extracting(MessageRecord::key)
                .containsExactly(companion);
        assertThat(records.ofCorrelation("customer:43")).isEmpty();
    }

    @Test
    void readsAllPagesAndNoMoreThanItMay() {
        List<RecordKey> keys = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            keys.add(store.create(claim(key())).key());
        }

        assertThat(records.ofCorrelation(SAGA))
                .extracting(MessageRecord::key)
                .containsExactlyInAnyOrderElementsOf(keys);
        assertThat(records.ofCorrelation(SAGA, 120))
                .extracting(MessageRecord::key)
                .hasSize(120)
                .doesNotHaveDuplicates()
                .isSubsetOf(keys);
        assertThat(records.ofCorrelation(SAGA, 0)).isEmpty();
    }

    @Test
    void whatHasNotChangedForTheLongestTimeIsFirst() {
        MessageRecord first = store.create(claim(key()));
        MessageRecord second = store.create(claim(key()));
        Awaitility.await().until(() -> changedAt(store.create(claim(key()))) > changedAt(second));
        store.replace(first.next(RecordState.DISPATCHED));

        List<MessageRecord> found = records.ofCorrelation(SAGA);

        assertThat(found).extracting(this::changedAt).isSorted();
        assertThat(found.get(0).key()).isEqualTo(second.key());
    }

    @Test
    void leavesOutWhatOnlyANewerVersionUnderstands() {
        MessageRecord known = store.create(claim(key()));
        MessageRecord unknown = store.create(claim(key()));
        ObjectNode newer = raw(unknown).put("format", 4);
        container
                .replaceItem(newer, newer.path("id").asText(), new PartitionKey(SAGA))
                .block();

        assertThat(records.ofCorrelation(SAGA)).containsExactly(known);
    }

    @Test
    void asksNothingBeforeTheFirstCallAndCreatesNothing() {
        store.create(claim(key()));
        proxy.forget();

        CosmosRecords another = records(client, name, CosmosAccount.TIMEOUT);
        assertThat(proxy.requests()).isEmpty();
        another.ofCorrelation(SAGA);
        proxy.forget();
        another.ofCorrelation("customer:43");

        assertThat(proxy.requests())
                .extracting(CosmosProxy.Request::kind)
                .contains(Kind.QUERY)
                .doesNotContain(Kind.CREATE);
        assertThat(meters.get("safebunny.cosmos.request.charge")
                        .tag("operation", "query")
                        .summary()
                        .totalAmount())
                .isPositive();
    }

    @Test
    void doesNotCreateAMissingContainer() {
        String missing = CosmosAccount.newName();

        assertThatThrownBy(() -> records(client, missing, CosmosAccount.TIMEOUT).ofCorrelation(SAGA))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("status=404");
        assertThatThrownBy(() -> client.getDatabase(CosmosAccount.DATABASE)
                        .getContainer(missing)
                        .read()
                        .block())
                .hasMessageContaining("404");
    }

    @Test
    void endsWhenItsTimeIsUp() {
        store.create(claim(key()));
        CosmosRecords impatient = records(client, name, Duration.ofSeconds(1));
        proxy.stall(Kind.QUERY);

        assertThatThrownBy(() -> impatient.ofCorrelation(SAGA))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer a query in time");
    }

    @Test
    void throttlingSaysForHowLong() {
        store.create(claim(key()));
        proxy.answer(Kind.QUERY, 429, Map.of("x-ms-retry-after-ms", "1234", "x-ms-substatus", "3200"));

        assertThat(catchThrowableOfType(StoreUnavailableException.class, () -> records.ofCorrelation(SAGA))
                        .retryAfter())
                .isEqualTo(Duration.ofMillis(1234));
    }

    /** The template does not let us say, as the store does, that the client's serializer is not for our documents. */
    @Test
    void failsWhereTheClientsOwnSerializerDoesNotKnowOurDocuments() {
        store.create(claim(key()));
        try (CosmosAsyncClient other = CosmosAccount.builder(proxy.endpoint())
                .customItemSerializer(new Foreign())
                .buildAsyncClient()) {
            CosmosRecords unable = records(other, name, CosmosAccount.TIMEOUT);

            assertThatThrownBy(() -> unable.ofCorrelation(SAGA))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("sub-status=10101");
        }
    }

    private static final class Foreign extends CosmosItemSerializer {

        @Override
        public <T> Map<String, Object> serialize(T item) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T deserialize(Map<String, Object> document, Class<T> type) {
            throw new UnsupportedOperationException();
        }
    }

    // ---- details

    private static RecordKey key() {
        return new RecordKey(SAGA, UUID.randomUUID().toString());
    }

    private long changedAt(MessageRecord record) {
        return raw(record).path("_ts").asLong();
    }

    private ObjectNode raw(MessageRecord record) {
        var response = container
                .readItem(DocumentId.of(record.key().messageId()), new PartitionKey(SAGA), ObjectNode.class)
                .block();
        return Objects.requireNonNull(response).getItem();
    }

    private static OutboundMessage outbound() {
        WireMessage message = new WireMessage(
                "1",
                SAGA,
                "orders-OrderPlaced",
                "orders",
                1L,
                "application/json",
                null,
                Map.of("sb-attempt", 1),
                new byte[] {'{', '}'});
        return new OutboundMessage(message, new Route.ToSubscribers("orders-OrderPlaced"), Duration.ZERO);
    }
}
