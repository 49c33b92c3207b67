// SPDX-License-Identifier: Apache-2.0
package io.safebunny.node;

import io.safebunny.observation.Metrics;
import io.safebunny.observation.SafeTimer;
import io.safebunny.store.RecordRefusedException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** {@code safebunny.store}: how long each operation of the store takes, with its outcome. Also tells whether the store answers. Thread-safe. */
final class StoreTimers {

    /** The operations; those that only transactional stores have come last. */
    enum Operation {
        CREATE,
        REPLACE,
        REPLACE_ALL,
        WRITE_TOGETHER,
        FIND,
        FIND_COMPLETED,
        FIND_DUE,
        FIND_LISTED,
        COUNT_LISTED,
        REMOVE_EXPIRED,
        BEGIN,
        FIND_AND_LOCK,
        COMMIT
    }

    private enum Outcome {
        /** Succeeded. */
        OK,
        /** Nothing was written, because another version is stored. */
        CONFLICT,
        /** This record can never be stored as it is. */
        REFUSED,
        /** The store did not answer, or its answer does not say whether the operation was done. */
        FAILED
    }

    private final Timeline timeline;
    private final StoreAnswers answers;
    private final Map<Operation, Map<Outcome, SafeTimer>> timers = new EnumMap<>(Operation.class);

    StoreTimers(Metrics metrics, Timeline timeline, Set<Operation> operations) {
        this.timeline = timeline;
        this.answers = new StoreAnswers(timeline::now);
        for (Operation operation : operations) {
            Map<Outcome, SafeTimer> outcomes = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                outcomes.put(
                        outcome,
                        metrics.timer("safebunny.store", "operation", nameOf(operation), "outcome", nameOf(outcome)));
            }
            timers.put(operation, outcomes);
        }
    }

    private static String nameOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    <T> T time(Operation operation, Supplier<T> call) {
        return time(operation, call, result -> false);
    }

    /** @param conflicts recognises results that mean that nothing was written */
    <T> T time(Operation operation, Supplier<T> call, Predicate<T> conflicts) {
        long began = timeline.nanoTime();
        Outcome outcome = Outcome.FAILED;
        try {
            T result = call.get();
            outcome = conflicts.test(result) ? Outcome.CONFLICT : Outcome.OK;
            answers.answered();
            return result;
        } catch (RecordRefusedException e) {
            outcome = Outcome.REFUSED;
            answers.answered();
            throw e;
        } catch (StoreUnavailableException e) {
            answers.failed(e);
            throw e;
        } finally {
            record(operation, outcome, timeline.nanoTime() - began);
        }
    }

    /** Like {@link #timeWrite(Operation, Supplier, Supplier, Predicate)}, for a single record, without allocating. */
    <T> T timeWrite(Operation operation, MessageRecord record, Supplier<T> call, Predicate<T> conflicts) {
        try {
            T result = time(operation, call, conflicts);
            if (answers.isMissingWrites()) {
                answers.written(List.of(record.key()));
            }
            return result;
        } catch (StoreUnavailableException e) {
            answers.notWritten(List.of(record.key()), e);
            throw e;
        }
    }

    /** @param records keys of the records; called only while writes go unanswered */
    <T> T timeWrite(Operation operation, Supplier<List<RecordKey>> records, Supplier<T> call, Predicate<T> conflicts) {
        try {
            T result = time(operation, call, conflicts);
            if (answers.isMissingWrites()) {
                answers.written(records.get());
            }
            return result;
        } catch (StoreUnavailableException e) {
            answers.notWritten(records.get(), e);
            throw e;
        }
    }

    StoreAnswers answers() {
        return answers;
    }

    private void record(Operation operation, Outcome outcome, long nanos) {
        Map<Outcome, SafeTimer> outcomes = timers.get(operation);
        SafeTimer timer = outcomes == null ? null : outcomes.get(outcome);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }
}
