// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.MessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Faults against {@link CompletedRules} and {@link ExpiryRules}. */
final class BrokenLookups extends StoreFaults {

    BrokenLookups() {
        finds();
        removes();
    }

    private void finds() {
        fault("finds released ones too", "findsCompletedRecordsOnly", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::findCompleted).instead((real, unchangedFor, limit) -> Stream.concat(
                            real.findCompleted(unchangedFor, limit).stream(),
                            inventory.all(real, record -> record.state() == RecordState.RELEASED).stream())
                    .toList());
        });
        faultIn(
                "finds those of other nodes",
                "findsCompletedRecordsOfItsNodeOnly",
                test -> store -> store.on(MessageStore::findCompleted)
                        .instead((real, unchangedFor, limit) -> Stream.of(real, test.otherSound)
                                .flatMap(node -> node.findCompleted(unchangedFor, limit).stream())
                                .toList()));
        fault("finds them without steps", "findsCompletedRecordsWithTheirPublications", MessageStore::findCompleted)
                .instead((real, unchangedFor, limit) -> real.findCompleted(unchangedFor, limit).stream()
                        .map(record -> record.withSteps(Map.of()))
                        .toList());
        fault("finds young ones", "findsCompletedRecordsOnlyWhenTheyDidNotChangeForSoLong", MessageStore::findCompleted)
                .instead((real, unchangedFor, limit) -> real.findCompleted(Duration.ZERO, limit));
        fault(
                        "ignores the limit",
                        "findsTheOldestCompletedRecordsFirstAndNoMoreThanTheLimit",
                        MessageStore::findCompleted)
                .instead((real, unchangedFor, limit) -> real.findCompleted(unchangedFor, Integer.MAX_VALUE));
        fault(
                        "finds the youngest first",
                        "findsTheOldestCompletedRecordsFirstAndNoMoreThanTheLimit",
                        MessageStore::findCompleted)
                .instead((real, unchangedFor, limit) -> {
                    List<MessageRecord> found = new ArrayList<>(real.findCompleted(unchangedFor, limit));
                    Collections.reverse(found);
                    return found;
                });
    }

    private void removes() {
        fault("keeps poisoned ones", "forgetsPoisonedRecordsAfterThePoisonRetention", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                List<MessageRecord> poisoned = inventory.all(real, record -> record.state() == RecordState.POISONED);
                int removed = real.removeExpired(limit);
                poisoned.forEach(real::create);
                return removed;
            });
        });
        fault("keeps poisoned ones no longer than others", "keepsPoisonedRecordsForThePoisonRetention", store -> {
            Set<RecordKey> poisoned = ConcurrentHashMap.newKeySet();
            store.on(MessageStore::replace).instead((real, record) -> {
                if (record.state() != RecordState.POISONED) {
                    poisoned.remove(record.key());
                    return real.replace(record);
                }
                MessageRecord stored = real.replace(withState(record, RecordState.UNDONE));
                if (stored != null) {
                    poisoned.add(record.key());
                }
                return stored == null ? null : record;
            });
            store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord found = real.find(key);
                return found != null && poisoned.contains(key) ? withState(found, RecordState.POISONED) : found;
            });
        });
        fault("keeps what was poisoned once", "forgetsWhatWasReplayedAfterTheRetention", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                List<MessageRecord> replayed = inventory.all(
                        real, record -> record.state() == RecordState.DISPATCHED && record.version() >= 4);
                int removed = real.removeExpired(limit);
                replayed.forEach(real::create);
                return removed;
            });
        });
        fault("keeps undone ones", "forgetsFinalRecordsAfterTheRetention", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                List<MessageRecord> undone = inventory.all(real, record -> record.state() == RecordState.UNDONE);
                int removed = real.removeExpired(limit);
                undone.forEach(real::create);
                return removed;
            });
        });
        fault("forgets at once", "keepsFinalRecordsForTheRetention", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                int removed = real.removeExpired(limit);
                if (removed == 0) {
                    inventory.lose(real, record -> record.state().isFinal() && record.version() < 4);
                }
                return removed;
            });
        });
        fault("forgets released ones", "neverForgetsARecordThatIsNotFinal", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                inventory.lose(real, record -> record.state() == RecordState.RELEASED);
                return real.removeExpired(limit);
            });
        });
        fault("removes all at once", "removesNoMoreThanTheLimit", MessageStore::removeExpired)
                .instead((real, limit) -> real.removeExpired(Integer.MAX_VALUE));
        faultIn(
                "removes those of other nodes",
                "removesNothingOfOtherNodes",
                test -> store -> store.on(MessageStore::removeExpired).instead((real, limit) -> {
                    test.otherSound.removeExpired(limit);
                    return real.removeExpired(limit);
                }));
        fault("counts from the first end", "countsTheRetentionFromTheLastChange", store -> {
            Inventory inventory = new Inventory(store);
            store.on(MessageStore::removeExpired).instead((real, limit) -> {
                inventory.lose(real, record -> record.state().isFinal() && record.version() >= 4);
                return real.removeExpired(limit);
            });
        });
        fault("brings back what was forgotten", "bringsNothingBackByALateReplace", MessageStore::replace)
                .instead((real, record) -> record.version() > 2 && real.find(record.key()) == null
                        ? real.create(record)
                        : real.replace(record));
    }
}
