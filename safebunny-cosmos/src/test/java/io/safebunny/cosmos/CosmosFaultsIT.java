// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import static io.safebunny.cosmos.CosmosAccount.claim;
import static io.safebunny.cosmos.CosmosAccount.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncContainer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.database.CosmosProxy;
import io.safebunny.test.database.CosmosProxy.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A service that refuses, answers late, or does what it was told and does not say so. */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CosmosFaultsIT {

    private static final Map<String, String> NOTHING = Map.of();

    private final CosmosProxy proxy = CosmosProxy.before(CosmosAccount.server());
    private final CosmosAsyncClient client =
            CosmosAccount.builder(proxy.endpoint()).buildAsyncClient();
    private final CosmosAsyncContainer container =
            CosmosContainers.open(client, CosmosAccount.options(CosmosAccount.newName()));
    private final CosmosMessageStore store = store(Duration.ofSeconds(10));

    private CosmosMessageStore store(Duration timeout) {
        return new CosmosMessageStore(container, CosmosAccount.RETENTION, timeout, new SimpleMeterRegistry());
    }

    @BeforeEach
    void warmUp() {
        store.find(key());
        proxy.forget();
    }

    @AfterEach
    void heal() {
        proxy.heal();
    }

    @AfterAll
    void close() {
        container.delete().block();
        client.close();
        proxy.close();
    }

    @Test
    void oneMessageIsOneCreateAndOneReplaceAndNoQuery() {
        MessageRecord created = store.create(claim(key()));
        store.replace(created.next(RecordState.DISPATCHED));

        assertThat(kinds()).containsExactly(Kind.CREATE, Kind.REPLACE);
    }

    @Test
    void aSecondCreateIsOneCreateAndOneRead() {
        MessageRecord created = store.create(claim(key()));
        proxy.forget();

        store.create(claim(created.key()));

        assertThat(kinds()).containsExactly(Kind.CREATE, Kind.READ);
    }

    @Test
    void throttlingSaysForHowLong() {
        for (Kind kind : List.of(Kind.CREATE, Kind.READ, Kind.REPLACE)) {
            MessageRecord created = store.create(claim(key()));
            proxy.answer(kind, 429, Map.of("x-ms-retry-after-ms", "1234", "x-ms-substatus", "3200"));

            StoreUnavailableException thrown = catchThrowableOfType(StoreUnavailableException.class, () -> {
                switch (kind) {
                    case CREATE -> store.create(claim(key()));
                    case READ -> store.find(created.key());
                    default -> store.replace(created.next(RecordState.COMPLETED));
                }
            });

            assertThat(thrown.retryAfter()).isEqualTo(Duration.ofMillis(1234));
            assertThat(thrown).hasMessageContaining("status=429");
            proxy.heal();
        }
    }

    @Test
    void throttlingOfOneOfManyReplacesIsReportedAndTheOthersAreDone() {
        List<MessageRecord> created =
                List.of(store.create(claim(key())), store.create(claim(key())), store.create(claim(key())));
        proxy.answerNext(Kind.REPLACE, 429, Map.of("x-ms-retry-after-ms", "50", "x-ms-substatus", "3200"));

        assertThatThrownBy(() -> store.replaceAll(created.stream()
                        .map(record -> record.next(RecordState.DISPATCHED))
                        .toList()))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                        .isEqualTo(Duration.ofMillis(50)));

        assertThat(created.stream().map(record -> Objects.requireNonNull(store.find(record.key()))
                        .state()))
                .containsExactlyInAnyOrder(RecordState.CLAIMED, RecordState.DISPATCHED, RecordState.DISPATCHED);
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 449, 500, 503})
    void aFailingServiceIsUnavailable(int status) {
        MessageRecord created = store.create(claim(key()));
        proxy.answer(Kind.CREATE, status, NOTHING);
        proxy.answer(Kind.REPLACE, status, NOTHING);
        CosmosMessageStore impatient = store(Duration.ofSeconds(2));

        assertThatThrownBy(() -> impatient.create(claim(key())))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                        .isNull());
        assertThatThrownBy(() -> impatient.replace(created.next(RecordState.COMPLETED)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aSearchEndsInTimeAndSaysWhatToDo() {
        proxy.stall(Kind.QUERY);

        assertThatThrownBy(() -> store.findCorrelationIds("m", 10, Duration.ofMillis(300)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("message_id=m")
                .hasMessageContaining("at-most=PT0.3S")
                .hasMessageContaining("Search by the correlation id, or ask again");
        assertThatThrownBy(() -> store(Duration.ofMillis(300)).findCorrelated("c", 10))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("correlation_id=c")
                .hasMessageContaining("at-most=PT0.3S");
    }

    @Test
    void aSearchThatIsRefusedSaysWhatToDo() {
        proxy.answer(Kind.QUERY, 429, Map.of("x-ms-retry-after-ms", "1", "x-ms-substatus", "3200"));

        assertThatThrownBy(() -> store.findCorrelated("c", 10))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                        .isNull())
                .hasMessageContaining("correlation_id=c")
                .hasMessageContaining("status=429")
                .hasMessageContaining("Ask again later");
    }

    @Test
    void aServiceThatDoesNotAnswerIsUnavailableInTime() {
        proxy.stall(Kind.CREATE);

        assertThatThrownBy(() -> store(Duration.ofMillis(300)).create(claim(key())))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("PT0.3S");
    }

    @Test
    void aRefusalSaysThatCredentialsAreWrong() {
        proxy.answer(Kind.CREATE, 401, NOTHING);

        assertThatThrownBy(() -> store.create(claim(key())))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Renew the credentials");
    }

    @Test
    void aFullPartitionRefusesItsRecordsForGoodAndSaysSo() {
        MessageRecord created = store.create(claim(key()));
        proxy.answer(Kind.CREATE, 403, Map.of("x-ms-substatus", "1014"));
        proxy.answer(Kind.REPLACE, 403, Map.of("x-ms-substatus", "1014"));

        assertThatThrownBy(() -> store.create(claim(key())))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining("20 GB");
        assertThatThrownBy(() -> store.replace(created.next(RecordState.COMPLETED)))
                .isInstanceOf(RecordRefusedException.class)
                .hasMessageContaining(created.key().messageId());
    }

    @Test
    void aMalformedDocumentIsRefusedForGood() {
        MessageRecord created = store.create(claim(key()));
        proxy.answerNext(Kind.CREATE, 400, NOTHING);
        proxy.answerNext(Kind.REPLACE, 400, NOTHING);

        assertThatThrownBy(() -> store.create(claim(key()))).isInstanceOf(RecordRefusedException.class);
        assertThatThrownBy(() -> store.replace(created.next(RecordState.COMPLETED)))
                .isInstanceOf(RecordRefusedException.class);
        assertThat(store.replace(created.next(RecordState.COMPLETED))).isNotNull();
    }

    /** A container with another partition key, a firewall, a missing container: of these every record would be refused. */
    @ParameterizedTest
    @CsvSource({"400, 1001", "403, 0", "403, 3", "403, 1008", "401, 0", "404, 1003"})
    void whatConcernsEveryRecordIsAnOutage(int status, String subStatus) {
        MessageRecord created = store.create(claim(key()));
        proxy.answer(Kind.CREATE, status, Map.of("x-ms-substatus", subStatus));
        proxy.answer(Kind.REPLACE, status, Map.of("x-ms-substatus", subStatus));
        CosmosMessageStore impatient = store(Duration.ofSeconds(2));

        assertThatThrownBy(() -> impatient.create(claim(key()))).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> impatient.replace(created.next(RecordState.COMPLETED)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void oneRefusedRecordOfManyIsNamedAndTheOthersAreReplaced() {
        List<MessageRecord> records = Stream.generate(() -> store.create(claim(key())))
                .limit(3)
                .map(record -> record.next(RecordState.DISPATCHED))
                .toList();
        proxy.answerNext(Kind.REPLACE, 400, NOTHING);

        assertThatThrownBy(() -> store.replaceAll(records)).isInstanceOf(RecordRefusedException.class);
        assertThat(records)
                .filteredOn(record ->
                        Objects.requireNonNull(store.find(record.key())).state() == RecordState.DISPATCHED)
                .hasSize(2);
    }

    @Test
    void noMessageHasTheKey() {
        proxy.answer(Kind.CREATE, 403, NOTHING);

        assertThatThrownBy(() -> store.create(claim(key()))).satisfies(e -> assertThat(String.valueOf(e.getMessage()))
                .doesNotContain(CosmosAccount.server().key()));
    }

    @Test
    void aDocumentThatTheServiceFindsTooLargeIsTooLarge() {
        MessageRecord created = store.create(claim(key()));
        proxy.answerNext(Kind.REPLACE, 413, NOTHING);

        assertThatThrownBy(() -> store.replace(created.next(RecordState.COMPLETED)))
                .isInstanceOf(RecordTooLargeException.class);
    }

    @Test
    void aCreateWhoseAnswerGotLostIsRecognisedWhenItIsRepeated() {
        MessageRecord claim = claim(key());
        proxy.loseAnswerOfNext(Kind.CREATE, 408);

        assertThatThrownBy(() -> store.create(claim)).isInstanceOf(StoreUnavailableException.class);
        MessageRecord repeated = store.create(claim);

        assertThat(repeated.isSameWriteAs(claim)).isTrue();
        assertThat(store.replace(repeated.next(RecordState.COMPLETED))).isNotNull();
    }

    @Test
    void aReplaceWhoseAnswerGotLostIsFoundAgain() {
        MessageRecord completed = store.create(claim(key())).next(RecordState.COMPLETED);
        proxy.loseAnswerOfNext(Kind.REPLACE, 408);

        assertThatThrownBy(() -> store.replace(completed)).isInstanceOf(StoreUnavailableException.class);
        assertThat(store.replace(completed)).isNull();

        assertThat(Objects.requireNonNull(store.find(completed.key())).isSameWriteAs(completed))
                .isTrue();
    }

    @Test
    void aJointWriteWhoseAnswerGotLostIsFoundAgain() {
        MessageRecord claim = store.create(claim(key()));
        List<MessageRecord> together =
                List.of(claim.next(RecordState.COMPLETED), claim(claim.key().companion("saga")));
        proxy.forget();
        proxy.loseAnswerOfNext(Kind.BATCH, 408);

        assertThatThrownBy(() -> store.writeTogether(together)).isInstanceOf(StoreUnavailableException.class);

        assertThat(kinds()).containsExactly(Kind.BATCH);
        assertThat(store.writeTogether(together)).isInstanceOf(JointWrite.Overtaken.class);
        together.forEach(record -> assertThat(store.find(record.key()))
                .isNotNull()
                .satisfies(stored -> assertThat(stored.isSameWriteAs(record)).isTrue()));
    }

    @Test
    void aThrottledJointWriteSaysForHowLong() {
        MessageRecord claim = store.create(claim(key()));
        proxy.answerNext(Kind.BATCH, 429, Map.of("x-ms-retry-after-ms", "77", "x-ms-substatus", "3200"));

        assertThatThrownBy(() -> store.writeTogether(List.of(claim.next(RecordState.COMPLETED))))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                        .isEqualTo(Duration.ofMillis(77)));
        assertThat(store.find(claim.key())).isNotNull().satisfies(stored -> assertThat(stored.version())
                .isEqualTo(1));
    }

    @Test
    void aJointWriteThatTheServiceFindsTooLargeIsTooLarge() {
        MessageRecord claim = store.create(claim(key()));
        proxy.answerNext(Kind.BATCH, 413, NOTHING);

        assertThatThrownBy(() -> store.writeTogether(List.of(claim.next(RecordState.COMPLETED))))
                .isInstanceOf(RecordTooLargeException.class);
    }

    @Test
    void aCreateThatConflictsWithWhatIsNotThereIsTriedAgain() {
        proxy.answerNext(Kind.CREATE, 409, NOTHING);
        MessageRecord claim = claim(key());

        assertThat(store.create(claim).isSameWriteAs(claim)).isTrue();

        assertThat(kinds()).containsExactly(Kind.CREATE, Kind.READ, Kind.CREATE);
    }

    @Test
    void aCreateThatAlwaysConflictsWithWhatIsNotThereGivesUp() {
        proxy.answer(Kind.CREATE, 409, NOTHING);

        assertThatThrownBy(() -> store.create(claim(key())))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("neither creates nor returns");

        assertThat(kinds()).hasSize(6);
    }

    @Test
    void aMissingContainerOrALaggingReplicaIsNotAMissingRecord() {
        MessageRecord created = store.create(claim(key()));
        proxy.answer(Kind.REPLACE, 404, Map.of("x-ms-substatus", "1003"));

        assertThatThrownBy(() -> store.replace(created.next(RecordState.COMPLETED)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aFailingSweepIsUnavailable() {
        proxy.answer(Kind.QUERY, 429, Map.of("x-ms-retry-after-ms", "77", "x-ms-substatus", "3200"));

        assertThatThrownBy(() -> store.findCompleted(Duration.ZERO, 10))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                        .isEqualTo(Duration.ofMillis(77)));
    }

    /** As the service answers where the path is not indexed: then all that match are read, and sorted here. */
    @Test
    void companionsAreFoundInAContainerThatDoesNotIndexThem() {
        List<MessageRecord> due = new ArrayList<>();
        for (int seconds : new int[] {3, 1, 2}) {
            due.add(store.create(MessageRecord.companion(
                    RecordKey.companion(key().correlationId(), "saga"),
                    "first",
                    new Listing("Order", "RUNNING", Instant.ofEpochSecond(-seconds), Instant.ofEpochSecond(seconds)),
                    Map.of("saga", "{}"))));
        }
        proxy.answerNext(Kind.QUERY, 400, NOTHING);
        assertThat(store.findDue(Instant.EPOCH, Instant.ofEpochSecond(9), 2)).containsExactly(due.get(1), due.get(2));

        proxy.answerNext(Kind.QUERY, 400, NOTHING);
        assertThat(store.findListed(new ListingQuery("Order", "RUNNING", null, null, 2)))
                .containsExactly(due.get(0), due.get(2));
    }

    @Test
    void aFailingLookForCompanionsIsUnavailable() {
        proxy.answer(Kind.QUERY, 400, NOTHING);
        assertThatThrownBy(() -> store.findDue(Instant.EPOCH, Instant.EPOCH, 10))
                .isInstanceOf(StoreUnavailableException.class);
        proxy.heal();
        proxy.answer(Kind.QUERY, 429, Map.of("x-ms-retry-after-ms", "77", "x-ms-substatus", "3200"));
        assertThatThrownBy(() -> store.countListed("Order", "RUNNING"))
                .isInstanceOfSatisfying(StoreUnavailableException.class, e -> assertThat(e.retryAfter())
                        .isEqualTo(Duration.ofMillis(77)));
    }

    private List<Kind> kinds() {
        return proxy.requests().stream().map(CosmosProxy.Request::kind).toList();
    }
}
