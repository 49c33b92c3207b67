// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.RecordTooLargeException;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.Trail;
import io.safebunny.test.contract.bites.Sabotage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Faults against {@link JointWriteRules}. */
final class BrokenJointWrites extends StoreFaults {

    BrokenJointWrites() {
        fault("answers in another order", "writesARecordAndItsCompanionsTogether", MessageStore::writeTogether)
                .instead((real, records) -> {
                    JointWrite answer = real.writeTogether(records);
                    return answer instanceof JointWrite.Overtaken
                                    || records.get(0).version() == 1
                            ? answer
                            : new JointWrite.Written(records.stream()
                                    .sorted(JointWrite.LOCK_ORDER)
                                    .toList());
                });
        fault("forgets trails", "keepsTheTrailOfARecordWrittenWithItsCompanions", MessageStore::writeTogether)
                .instead((real, records) -> real.writeTogether(records.stream()
                        .map(record -> record.withTrail(Trail.NONE))
                        .toList()));
        fault(
                "writes the others when one is outdated",
                "changesNothingWhenOneIsOutdatedWhereverItStands",
                writingSome((overtaken, stored) -> overtaken.version() > 1
                        && stored != null
                        && stored.owner().equals("another")));
        fault("fences the first only", "changesNothingWhenOneIsOutdatedWhereverItStands", MessageStore::writeTogether)
                .instead((real, records) -> {
                    List<MessageRecord> refreshed = new ArrayList<>();
                    for (MessageRecord record : records) {
                        MessageRecord stored = real.find(record.key());
                        boolean fenced = stored == null
                                || refreshed.isEmpty()
                                || !stored.owner().equals("another");
                        refreshed.add(stored == null || fenced ? record : record.withVersion(stored.version() + 1));
                    }
                    return real.writeTogether(refreshed);
                });
        fault(
                "writes the others when one is there",
                "changesNothingWhenACompanionToBeCreatedIsThere",
                writingSome((overtaken, stored) -> overtaken.version() == 1));
        fault(
                "writes the others when one is gone",
                "changesNothingWhenACompanionToBeReplacedIsGone",
                writingSome((overtaken, stored) -> overtaken.version() > 1 && stored == null));
        fault("looks before it writes", "letsOneOfManyConcurrentJointWritesWin", store -> {
            Meeting met = new Meeting();
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                if (BrokenLanes.isLane(records)) {
                    return real.writeTogether(records);
                }
                MessageRecord last = records.get(records.size() - 1);
                MessageRecord stored = real.find(last.key());
                met.meet(last.key());
                JointWrite answer = real.writeTogether(records);
                boolean fitted = stored != null && stored.version() == last.version() - 1;
                return fitted && records.get(0).version() == 1 ? new JointWrite.Written(records) : answer;
            });
        });
        fault("fails when it is repeated", "isOvertakenByItselfWhenItIsRepeated", MessageStore::writeTogether)
                .instead((real, records) -> {
                    for (MessageRecord record : records) {
                        MessageRecord stored = real.find(record.key());
                        if (record.version() > 1 && stored != null && stored.isSameWriteAs(record)) {
                            throw new StoreUnavailableException("a duplicate", null, null);
                        }
                    }
                    return real.writeTogether(records);
                });
        fault(
                        "notices the size too late",
                        "namesTheCompanionThatIsTooLargeAndChangesNothing",
                        MessageStore::writeTogether)
                .instead((real, records) -> {
                    try {
                        return real.writeTogether(records);
                    } catch (RecordTooLargeException e) {
                        real.writeTogether(records.subList(0, records.size() - 1));
                        throw e;
                    }
                });
        fault(
                        "names the first instead",
                        "namesTheCompanionThatIsTooLargeAndChangesNothing",
                        MessageStore::writeTogether)
                .instead((real, records) -> {
                    try {
                        return real.writeTogether(records);
                    } catch (RecordTooLargeException e) {
                        RecordKey first = records.get(0).key();
                        throw new RecordTooLargeException(first, LimitedStore.LIMIT + 1, LimitedStore.LIMIT);
                    }
                });
        fault(
                        "holds a megabyte in all",
                        "holdsCompanionsOfAQuarterOfAMegabyteBesideALargeRecord",
                        MessageStore::writeTogether)
                .instead((real, records) -> {
                    long size = records.stream().mapToLong(LimitedStore::size).sum();
                    if (size > 1 << 20 && size < LimitedStore.LIMIT) {
                        throw new RecordTooLargeException(records.get(0).key(), size, 1 << 20);
                    }
                    return real.writeTogether(records);
                });
        fault("forgets all companions", "forgetsFinalCompanionsAfterTheRetentionAndOthersNever", store -> {
            AtomicBoolean forgot = new AtomicBoolean();
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                forgot.set(true);
                return real.removeExpired(limit);
            });
            store.on(MessageStore::find)
                    .instead((real, key) ->
                            forgot.get() && key.isCompanion() && !BrokenLanes.isLane(key) ? null : real.find(key));
        });
        fault("keeps companions for good", "forgetsFinalCompanionsAfterTheRetentionAndOthersNever", store -> {
            Map<RecordKey, MessageRecord> kept = new ConcurrentHashMap<>();
            store.on(MessageStore::writeTogether).instead((real, records) -> {
                JointWrite answer = real.writeTogether(records);
                if (answer instanceof JointWrite.Written) {
                    records.forEach(record -> kept.putIfAbsent(record.key(), record));
                }
                return answer;
            });
            store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord found = real.find(key);
                return found == null && key.isCompanion() && !BrokenLanes.isLane(key) ? kept.get(key) : found;
            });
        });
    }

    private interface Overlooking {
        /** @param stored what is there in place of the version before */
        boolean overlooks(MessageRecord overtaken, @Nullable MessageRecord stored);
    }

    /** Writes some of them although one did not fit, as a server does that takes a batch for a list. */
    private static Consumer<Sabotage<MessageStore>> writingSome(Overlooking fault) {
        return store -> store.on(MessageStore::writeTogether).instead((real, records) -> {
            JointWrite answer = real.writeTogether(records);
            if (answer instanceof JointWrite.Overtaken overtaken) {
                records.stream()
                        .filter(record -> record.key().equals(overtaken.key()))
                        .filter(record -> fault.overlooks(record, real.find(record.key())))
                        .forEach(record -> records.forEach(each -> real.writeTogether(List.of(each))));
            }
            return answer;
        });
    }
}
