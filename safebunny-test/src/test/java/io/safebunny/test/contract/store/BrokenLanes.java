// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.contract.bites.Sabotage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Faults against {@link LaneWriteRules}. */
final class BrokenLanes extends StoreFaults {

    private static final String PARKS = "parksNothingInALaneThatWasFreedMeanwhile";
    private static final String FREES = "freesNoLaneInWhichSomethingWasParkedMeanwhile";
    private static final String MANY = "losesNothingThatManyParkWhileTheLaneIsDrained";
    private static final String LISTS = "listsLanesByWhatTheyWaitForWithWhatIsParkedInThem";

    BrokenLanes() {
        fault("forgets the bytes", "keepsWhatIsParkedWithItsBytes", MessageStore::writeTogether)
                .instead((real, records) -> real.writeTogether(records.stream()
                        .map(record -> record.state() == RecordState.PARKED
                                ? record.next(RecordState.PARKED, List.of()).withVersion(record.version())
                                : record)
                        .toList()));
        fault("does not compare the version of a lane that is freed", FREES, unfenced(RecordState.DISPATCHED));
        fault("does not compare the version of a lane that is used", PARKS, unfenced(RecordState.RELEASED));
        fault("writes each for itself", List.of(PARKS, FREES), store -> {
            Thread test = Thread.currentThread();
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                JointWrite answer = real.writeTogether(records);
                if (answer instanceof JointWrite.Overtaken && isLane(records) && Thread.currentThread() == test) {
                    records.forEach(record -> real.writeTogether(List.of(record)));
                }
                return answer;
            });
        });
        fault("says once that it has written what it has not", MANY, store -> {
            Thread test = Thread.currentThread();
            AtomicBoolean said = new AtomicBoolean();
            store.on(MessageStore::writeTogether)
                    .instead((real, records) ->
                            isLane(records) && Thread.currentThread() != test && said.compareAndSet(false, true)
                                    ? new JointWrite.Written(records)
                                    : real.writeTogether(records));
        });
        fault(
                "forgets what is parked",
                "forgetsALaneOnceNothingWaits",
                losing(record -> record.state() == RecordState.PARKED));
        fault("forgets lanes that wait", "forgetsALaneOnceNothingWaits", losing(record -> record.listing() != null));
        fault("keeps lanes for good", "forgetsALaneOnceNothingWaits", store -> {
            Map<RecordKey, MessageRecord> kept = new ConcurrentHashMap<>();
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                records.stream()
                        .filter(record -> record.state() == RecordState.DISPATCHED && isLane(List.of(record)))
                        .forEach(record -> kept.put(record.key(), record));
                return real.writeTogether(records);
            });
            store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord found = real.find(key);
                return found == null ? kept.get(key) : found;
            });
        });
        fault("sends what is parked", "doesNotTakeWhatIsParkedForUnsent", store -> {
            Set<RecordKey> written = ConcurrentHashMap.newKeySet();
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                records.forEach(record -> written.add(record.key()));
                return real.writeTogether(records);
            });
            store.on(MessageStore::findCompleted).instead((real, unchangedFor, limit) -> Stream.concat(
                            unchangedFor.equals(Duration.ZERO) ? parked(real, written) : Stream.empty(),
                            real.findCompleted(unchangedFor, limit).stream())
                    .limit(limit)
                    .toList());
        });
        fault("lists lanes without what is parked since they were listed", LISTS, store -> {
            Map<RecordKey, MessageRecord> listed = new ConcurrentHashMap<>();
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                records.stream()
                        .filter(record -> record.listing() != null && isLane(List.of(record)))
                        .forEach(record -> listed.putIfAbsent(record.key(), record));
                return real.writeTogether(records);
            });
            store.on(MessageStore::findListed).instead((real, query) -> real.findListed(query).stream()
                    .map(record -> listed.getOrDefault(record.key(), record))
                    .toList());
        });
        fault("cuts long keys", "keepsLanesAndSlotsOfTheLongestKeysApart", MessageStore::writeTogether)
                .instead((real, records) -> records.stream()
                                .anyMatch(record -> record.key().messageId().length() > 110
                                        && record.key().isShared())
                        ? new JointWrite.Overtaken(records.get(0).key())
                        : real.writeTogether(records));
    }

    /** Whether one of them is a lane, or a slot of one. */
    static boolean isLane(List<MessageRecord> records) {
        return records.stream().anyMatch(record -> isLane(record.key()));
    }

    static boolean isLane(RecordKey key) {
        return key.messageId().startsWith("~lane.");
    }

    /** The lane is written over whatever is stored by now. */
    private static Consumer<Sabotage<MessageStore>> unfenced(RecordState state) {
        return store -> {
            Thread test = Thread.currentThread();
            store.on(MessageStore::writeTogether)
                    .instead((real, records) -> real.writeTogether(records.stream()
                            .map(record -> record.state() == state
                                            && record.key().messageId().equals("~lane.OrderChanged")
                                            && Thread.currentThread() == test
                                    ? over(real.find(record.key()), record)
                                    : record)
                            .toList()));
        };
    }

    private static MessageRecord over(@Nullable MessageRecord stored, MessageRecord record) {
        return stored == null ? record : record.withVersion(stored.version() + 1);
    }

    private static Consumer<Sabotage<MessageStore>> losing(Predicate<MessageRecord> which) {
        return store -> {
            AtomicBoolean forgot = new AtomicBoolean();
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                forgot.set(true);
                return real.removeExpired(limit);
            });
            store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord found = real.find(key);
                boolean isOfLane = found != null
                        && (isLane(List.of(found)) || found.key().messageId().equals("second"));
                return forgot.get() && isOfLane && which.test(found) ? null : found;
            });
        };
    }

    private static Stream<MessageRecord> parked(MessageStore real, Set<RecordKey> written) {
        return written.stream()
                .map(real::find)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .filter(record -> record.state() == RecordState.PARKED);
    }
}
