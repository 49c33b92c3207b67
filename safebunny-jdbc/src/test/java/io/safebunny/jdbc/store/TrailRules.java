// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.dedup.Deduplication;
import io.safebunny.dedup.claim.SharedClaims;
import io.safebunny.failure.policy.Ending;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.jdbc.fixture.TestDatabase;
import io.safebunny.message.Envelope;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordJson;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.time.SystemTimeline;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of a message whose publications fit into its record without the trail, and not with it: it is handled all the same, in its first run. */
@Timeout(60)
abstract class TrailRules {

    /** Less than any trail takes. */
    private static final int ROOM = 10;

    final SystemTimeline timeline = new SystemTimeline("test");
    private final String node = TestDatabase.newNode();

    abstract TestDatabase database();

    @AfterEach
    void close() {
        timeline.close();
    }

    static OutboundMessage publication(Envelope message) {
        return new OutboundMessage(message.toWire(), new Route.ToSubscribers("Order"), Duration.ZERO);
    }

    /** With room for just what this message publishes. */
    private TransactionalJdbcMessageStore store(Envelope message) {
        int size = RecordJson.writeOutgoing(List.of(publication(message))).length();
        return Instances.store(
                database().pool(), JdbcStoreOptions.of(node, Duration.ofDays(7)).withMaxContentBytes(size + ROOM));
    }

    private static Handling handling(Envelope message) {
        return new Handling(new CurrentHandling(), message);
    }

    private static void deliver(Deduplication to, Envelope message, Instances.Handler handler) throws Exception {
        Handling handling = handling(message);
        Instances.deliver(
                to,
                handling,
                failure -> Ending.retried(Duration.ZERO, failure),
                unused -> handling.attempt(() -> handler.handle(handling)));
    }

    private static MessageRecord stored(TransactionalJdbcMessageStore store, Envelope message) {
        return Objects.requireNonNull(store.find(new RecordKey(message.correlationId(), message.id())));
    }

    private static void assertHandled(TransactionalJdbcMessageStore store, Envelope message) {
        MessageRecord stored = stored(store, message);
        assertThat(stored.state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
        assertThat(stored.attempt()).isZero();
    }

    @Test
    void theTrailGivesWayInTheHandlersTransaction() throws Exception {
        Envelope message = RecordCostRules.message();
        TransactionalJdbcMessageStore store = store(message);
        deliver(Instances.over(store, timeline, 5), message, handling -> handling.collect(publication(message)));

        assertHandled(store, message);
    }

    @Test
    void theTrailGivesWayAfterARollbackAndAtTheNextClaim() throws Exception {
        Envelope message = RecordCostRules.message();
        TransactionalJdbcMessageStore store = store(message);
        Trail.Failure failure =
                new Trail.Failure(timeline.now(), "x".repeat(100), 1, "x".repeat(200), "ä".repeat(200), null);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> deliver(Instances.over(store, timeline, 5), message, handling -> {
                    handling.failed(failure);
                    throw new IOException("failed");
                }));
        assertThat(stored(store, message).state()).isEqualTo(RecordState.RELEASED);
        assertThat(stored(store, message).attempt()).isEqualTo(1);
        deliver(Instances.over(store, timeline, 5), message.nextAttempt(), handling -> {
            handling.failed(failure);
            handling.undoAttempt();
            handling.collect(publication(message));
        });

        assertThat(stored(store, message).state()).isIn(RecordState.COMPLETED, RecordState.DISPATCHED);
    }

    @Test
    void theTrailsGiveWayInABatch() {
        Envelope one = RecordCostRules.message();
        Envelope other = RecordCostRules.message();
        TransactionalJdbcMessageStore store = store(one);
        List<Handling> batch =
                List.of(handling(one).forBatches(), handling(other).forBatches());
        try (SharedClaims claims =
                Objects.requireNonNull(Instances.over(store, timeline, 5).claimBatch(batch))) {
            assertThat(claims.run(batch, () -> batch.forEach(each -> each.collect(publication(each.message())))))
                    .isNull();
            assertThat(claims.commit()).containsOnlyKeys(batch);
        }

        assertHandled(store, one);
        assertHandled(store, other);
    }

    /** Where messages can share a transaction: each behind its savepoint. */
    final void theTrailsGiveWayInASharedTransaction() {
        Envelope one = RecordCostRules.message();
        Envelope other = RecordCostRules.message();
        TransactionalJdbcMessageStore store = store(one);
        List<Handling> group = List.of(handling(one), handling(other));
        try (SharedClaims claims =
                Objects.requireNonNull(Instances.over(store, timeline, 5).claimTogether(group))) {
            group.forEach(each -> assertThat(claims.run(
                            List.of(each), () -> each.attempt(() -> each.collect(publication(each.message())))))
                    .isNull());
            assertThat(claims.commit()).containsOnlyKeys(group);
        }

        assertHandled(store, one);
        assertHandled(store, other);
    }
}
