// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.point;

import io.safebunny.store.JointWrite;
import io.safebunny.store.ListingQuery;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.DatedRecord;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Recognises which operation of the protocol each write is, by the record that was stored before. Thread-safe. */
public class PointedStore implements MessageStore {

    final Faults faults;
    private final MessageStore store;
    private final Map<RecordKey, MessageRecord> seen = new ConcurrentHashMap<>();

    public PointedStore(MessageStore store, Faults faults) {
        this.store = store;
        this.faults = faults;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return see(around(created(record), () -> store.create(record)));
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return around(replaced(record), () -> Optional.ofNullable(store.replace(record)))
                .map(this::see)
                .orElse(null);
    }

    /** A batch counts as one operation: only dispatched records are replaced together. */
    @Override
    public void replaceAll(List<MessageRecord> records) {
        around(Operation.MARK_DISPATCHED, () -> {
            store.replaceAll(records);
            return records;
        });
    }

    /** Together with a message's record it is what happens to that one; otherwise steps are stored. */
    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        Operation operation = records.stream()
                .filter(record -> !record.key().isCompanion())
                .findFirst()
                .map(record -> JointWrite.isCreated(record) ? created(record) : replaced(record))
                .orElse(Operation.STORE_STEP);
        JointWrite result = around(operation, () -> store.writeTogether(records));
        if (result instanceof JointWrite.Written written) {
            written.records().forEach(this::see);
        }
        return result;
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        faults.asksStore();
        MessageRecord found = store.find(key);
        return found == null ? null : see(found);
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        faults.asksStore();
        List<MessageRecord> found = store.findCompleted(unchangedFor, limit);
        found.forEach(this::see);
        return found;
    }

    @Override
    public List<MessageRecord> findDue(Instant from, Instant until, int limit) {
        faults.asksStore();
        return store.findDue(from, until, limit);
    }

    @Override
    public List<MessageRecord> findListed(ListingQuery query) {
        faults.asksStore();
        return store.findListed(query);
    }

    @Override
    public long countListed(String kind, String status) {
        faults.asksStore();
        return store.countListed(kind, status);
    }

    @Override
    public List<DatedRecord> findCorrelated(String correlationId, int limit) {
        faults.asksStore();
        return store.findCorrelated(correlationId, limit);
    }

    @Override
    public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
        faults.asksStore();
        return store.findCorrelationIds(messageId, limit, atMost);
    }

    @Override
    public boolean mayKeepStepsApart() {
        return store.mayKeepStepsApart();
    }

    @Override
    public boolean readsAreDecisive() {
        return store.readsAreDecisive();
    }

    @Override
    public int removeExpired(int limit) {
        faults.asksStore();
        return store.removeExpired(limit);
    }

    <T> T around(Operation operation, Supplier<T> io) {
        return faults.around(operation, io);
    }

    MessageRecord see(MessageRecord record) {
        seen.put(record.key(), record);
        return record;
    }

    /** A claim that only its commit makes last is written as handled. */
    private static Operation created(MessageRecord record) {
        if (isOfShards(record)) {
            return Operation.WRITE_DIVISION;
        }
        return switch (record.state()) {
            case CLAIMED, DISPATCHED -> Operation.CLAIM;
            default -> ended(record);
        };
    }

    private static boolean isOfShards(MessageRecord record) {
        return record.key().correlationId().startsWith("bunny.shards.");
    }

    private Operation replaced(MessageRecord record) {
        if (isOfShards(record)) {
            return Operation.WRITE_DIVISION;
        }
        MessageRecord before = seen.get(record.key());
        RecordState from = before == null ? RecordState.COMPLETED : before.state();
        return switch (record.state()) {
            case CLAIMED -> claimed(before, record);
            case COMPLETED -> from == RecordState.COMPLETED ? Operation.SWEEP : Operation.COMPLETE;
            case DISPATCHED -> dispatched(before, record);
            case RELEASED, PARKED, POISONED, UNDONE -> ended(record);
        };
    }

    private static Operation claimed(@Nullable MessageRecord before, MessageRecord record) {
        if (before == null || before.state() != RecordState.CLAIMED) {
            return Operation.CLAIM_AGAIN;
        }
        if (!before.owner().equals(record.owner())) {
            return Operation.TAKE_OVER;
        }
        return before.steps().equals(record.steps()) ? Operation.RENEW : Operation.STORE_STEP;
    }

    private static Operation dispatched(@Nullable MessageRecord before, MessageRecord record) {
        if (before == null || before.state() == RecordState.COMPLETED) {
            return Operation.MARK_DISPATCHED;
        }
        return before.owner().equals(record.owner()) ? Operation.COMPLETE_SILENTLY : Operation.CLAIM_AGAIN;
    }

    private static Operation ended(MessageRecord record) {
        return switch (record.state()) {
            case POISONED -> Operation.MARK_POISONED;
            case UNDONE -> Operation.BAR;
            default -> Operation.RELEASE;
        };
    }
}
