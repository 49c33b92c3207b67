// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.store;

import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.test.contract.store.BrokenStoreContract.Where;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Faults against {@link CreateRules}, {@link ReplaceRules} and {@link KeyRules}. */
final class BrokenRecords extends StoreFaults {

    BrokenRecords() {
        creates();
        replaces();
        keys();
    }

    private void creates() {
        fault("counts visitors in a claim", "returnsTheExistingRecordUnchanged", store -> {
            Set<RecordKey> visited = ConcurrentHashMap.newKeySet();
            store.on(MessageStore::create).instead((real, record) -> {
                MessageRecord existing = real.create(record);
                if (existing.version() == 1 && !existing.owner().equals(record.owner())) {
                    visited.add(record.key());
                }
                return existing;
            });
            store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord found = real.find(key);
                return found != null && visited.contains(key) && found.version() == 1 ? found.withAttempt(9) : found;
            });
        });
        fault("takes completed for released", "returnsTheExistingRecordInItsPresentState", MessageStore::create)
                .instead((real, record) -> {
                    MessageRecord existing = real.create(record);
                    boolean completed = existing.state() == RecordState.COMPLETED;
                    return completed ? withState(existing, RecordState.RELEASED) : existing;
                });
        fault("does not recognise its own create", "recognisesItsOwnCreateRepeated", MessageStore::create)
                .instead((real, record) -> {
                    MessageRecord found = real.find(record.key());
                    if (found != null && found.owner().equals(record.owner())) {
                        throw new StoreUnavailableException("a duplicate key", null, null);
                    }
                    return real.create(record);
                });
        fault("looks before it creates", "letsOneOfManyConcurrentCreatesWin", store -> {
            Meeting met = new Meeting();
            store.on(MessageStore::create).instead((real, record) -> {
                MessageRecord found = real.find(record.key());
                met.meet(record.key());
                MessageRecord created = real.create(record);
                return found == null ? record : created;
            });
        });
        faultIn("fails to find nothing", "findsNothingUnderAnUnknownKey", test -> {
            test.where = Where.ONE_INSTANCE;
            return store -> store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord found = real.find(key);
                if (found == null) {
                    throw new StoreUnavailableException("not found", null, null);
                }
                return found;
            });
        });
    }

    private void replaces() {
        fault(
                "accepts any newer version",
                "refusesAVersionThatIsNotTheNext",
                replacing((found, record) -> found.version() >= 2 && record.version() > found.version() + 1));
        fault(
                "accepts older versions",
                "refusesAVersionThatIsNotTheNext",
                replacing((found, record) -> record.version() < found.version()));
        fault(
                "fences by owner only",
                "refusesWhatIsDerivedFromAnOutdatedFind",
                replacing((found, record) ->
                        found.owner().equals(record.owner()) && found.version() == record.version()));
        fault("looks before it replaces", "letsOneOfManyConcurrentReplacesWin", store -> {
            Meeting met = new Meeting();
            store.on(MessageStore::replace).instead((real, record) -> {
                MessageRecord found = real.find(record.key());
                met.meet(record.key());
                MessageRecord replaced = real.replace(record);
                return found != null && found.version() == record.version() - 1 ? record : replaced;
            });
        });
        fault("creates by replacing", "createsNothingByReplacing", MessageStore::replace)
                .instead((real, record) -> record.version() == 2 && real.find(record.key()) == null
                        ? real.create(record)
                        : real.replace(record));
        fault("lists outdated etags", "goesOnFromWhatAnyCallReturned", store -> {
            store.on(MessageStore::findCompleted)
                    .instead((real, unchangedFor, limit) -> real.findCompleted(unchangedFor, limit).stream()
                            .map(record -> record.withEtag("outdated"))
                            .toList());
            store.on(MessageStore::replace)
                    .instead((real, record) -> "outdated".equals(record.etag()) ? null : real.replace(record));
        });
        faultIn("caches what it finds", "findsWhatAnotherInstanceWroteLast", test -> {
            test.where = Where.ONE_INSTANCE;
            Map<RecordKey, MessageRecord> cache = new ConcurrentHashMap<>();
            return store -> store.on(MessageStore::find)
                    .instead((real, key) -> key.isShared() ? real.find(key) : cache.computeIfAbsent(key, real::find));
        });
        fault("stops at the first outdated record", "replacesAllThatAreCurrentAndNoOthers", MessageStore::replaceAll)
                .instead((real, records) -> {
                    for (MessageRecord record : records) {
                        if (real.replace(record) == null) {
                            return;
                        }
                    }
                });
        fault("replaces all of messages only", "replacesAllOfMessagesAndCompanions", MessageStore::replaceAll)
                .instead((real, records) -> real.replaceAll(records.stream()
                        .filter(record -> !record.key().isShared())
                        .toList()));
        fault("replaces a hundred", "replacesAllOfManyRecords", MessageStore::replaceAll)
                .instead((real, records) -> real.replaceAll(records.subList(0, Math.min(100, records.size()))));
    }

    /** Pretends that it replaced what it should have refused. */
    private static Consumer<Sabotage<MessageStore>> replacing(BiPredicate<MessageRecord, MessageRecord> wrongly) {
        return store -> store.on(MessageStore::replace).instead((real, record) -> {
            MessageRecord found = real.find(record.key());
            return found != null && wrongly.test(found, record) ? record : real.replace(record);
        });
    }

    private void keys() {
        fault(
                "ignores the correlation",
                "keepsOneMessageIdInTwoCorrelationsApart",
                confusing(key -> key.messageId().length() == 36 ? new RecordKey("all", key.messageId()) : key));
        fault(
                "ignores the message id",
                "keepsTheMessagesOfOneCorrelationApart",
                confusing(key -> key.messageId().length() == 36 ? new RecordKey(key.correlationId(), "") : key));
        fault("ignores case", "doesNotIgnoreCase", confusingIds(id -> id.toLowerCase(Locale.ROOT)));
        fault(
                "ignores punctuation at the end",
                "doesNotIgnorePunctuation",
                confusingIds(id -> id.replaceAll("[.:_-]$", "")));
        fault(
                "takes digits for numbers",
                "doesNotTakeDigitsForNumbers",
                confusingIds(id -> id.replaceAll("^0+(?=[0-9]+$)", "")));
        fault(
                "joins with a dot",
                "doesNotJoinCorrelationAndMessageIdAmbiguously",
                confusing(key -> new RecordKey("all", key.correlationId() + "." + key.messageId())));
        fault(
                "cuts message ids",
                "keepsTheLongestKeysApart",
                confusingIds(id -> id.substring(0, Math.min(128, id.length()))));
        faultIn("leaks into other nodes", "doesNotShareRecordsWithOtherNodes", test -> {
            test.where = Where.OTHER_NODE;
            return store -> store.on(MessageStore::find).instead((real, key) -> {
                MessageRecord leaked = test.sound.find(key);
                return leaked == null ? real.find(key) : leaked;
            });
        });
    }

    private static Consumer<Sabotage<MessageStore>> confusingIds(UnaryOperator<String> normal) {
        return confusing(key -> new RecordKey(key.correlationId(), normal.apply(key.messageId())));
    }
}
