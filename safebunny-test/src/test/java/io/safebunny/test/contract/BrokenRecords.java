// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordState;
import io.safebunny.spi.store.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One fault each against {@link CreateRules}, {@link ReplaceRules} and {@link KeyRules}. */
final class BrokenRecords {

    private BrokenRecords() {}

    @Breaks("returnsTheExistingRecordUnchanged")
    static class CountsVisitorsInAClaim extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public MessageRecord create(MessageRecord record) {
                    MessageRecord existing = super.create(record);
                    if (existing.version() == 1 && !existing.owner().equals(record.owner())) {
                        visited.add(record.key());
                    }
                    return existing;
                }

                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    MessageRecord found = super.find(key);
                    return found != null && visited.contains(key) && found.version() == 1
                            ? found.withAttempt(9)
                            : found;
                }
            };
        }

        private final Set<RecordKey> visited = ConcurrentHashMap.newKeySet();
    }

    @Breaks("returnsTheExistingRecordInItsPresentState")
    static class TakesCompletedForReleased extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public MessageRecord create(MessageRecord record) {
                    MessageRecord e = super.create(record);
                    return e.state() == RecordState.COMPLETED
                            ? with(e, RecordState.RELEASED, e.attempt(), e.lease(), e.fingerprint(), e.steps())
                            : e;
                }
            };
        }
    }

    @Breaks("recognisesItsOwnCreateRepeated")
    static class DoesNotRecogniseItsOwnCreate extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public MessageRecord create(MessageRecord record) {
                    MessageRecord found = sound.find(record.key());
                    if (found != null && found.owner().equals(record.owner())) {
                        throw new StoreUnavailableException("a duplicate key", null, null);
                    }
                    return super.create(record);
                }
            };
        }
    }

    @Breaks("letsOneOfManyConcurrentCreatesWin")
    static class LooksBeforeItCreates extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public MessageRecord create(MessageRecord record) {
                    MessageRecord found = sound.find(record.key());
                    met.meet(record.key());
                    MessageRecord created = super.create(record);
                    return found == null ? record : created;
                }
            };
        }

        private final Meeting met = new Meeting();
    }

    @Breaks("findsNothingUnderAnUnknownKey")
    static class FailsToFindNothing extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    MessageRecord found = super.find(key);
                    if (found == null) {
                        throw new StoreUnavailableException("not found", null, null);
                    }
                    return found;
                }
            };
        }

        @Override
        protected MessageStore anotherInstance() {
            return sound;
        }
    }

    @Breaks("refusesAVersionThatIsNotTheNext")
    static class AcceptsAnyNewerVersion extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    MessageRecord found = sound.find(record.key());
                    return found != null && found.version() >= 2 && record.version() > found.version() + 1
                            ? record
                            : super.replace(record);
                }
            };
        }
    }

    @Breaks("refusesAVersionThatIsNotTheNext")
    static class AcceptsOlderVersions extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    MessageRecord found = sound.find(record.key());
                    return found != null && record.version() < found.version() ? record : super.replace(record);
                }
            };
        }
    }

    @Breaks("refusesWhatIsDerivedFromAnOutdatedFind")
    static class FencesByOwnerOnly extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    MessageRecord found = sound.find(record.key());
                    return found != null && found.owner().equals(record.owner()) && found.version() == record.version()
                            ? record
                            : super.replace(record);
                }
            };
        }
    }

    @Breaks("letsOneOfManyConcurrentReplacesWin")
    static class LooksBeforeItReplaces extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    MessageRecord found = sound.find(record.key());
                    met.meet(record.key());
                    MessageRecord replaced = super.replace(record);
                    return found != null && found.version() == record.version() - 1 ? record : replaced;
                }
            };
        }

        private final Meeting met = new Meeting();
    }

    @Breaks("createsNothingByReplacing")
    static class CreatesByReplacing extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    return record.version() == 2 && sound.find(record.key()) == null
                            ? sound.create(record)
                            : super.replace(record);
                }
            };
        }
    }

    @Breaks("goesOnFromWhatAnyCallReturned")
    static class ListsOutdatedEtags extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    return super.findCompleted(unchangedFor, limit).stream()
                            .map(record -> record.withEtag("outdated"))
                            .toList();
                }

                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    return "outdated".equals(record.etag()) ? null : super.replace(record);
                }
            };
        }
    }

    @Breaks("findsWhatAnotherInstanceWroteLast")
    static class CachesWhatItFinds extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    MessageRecord cached = cache.get(key);
                    MessageRecord found = cached == null ? super.find(key) : cached;
                    if (found != null) {
                        cache.put(key, found);
                    }
                    return found;
                }
            };
        }

        private final Map<RecordKey, MessageRecord> cache = new ConcurrentHashMap<>();

        @Override
        protected MessageStore anotherInstance() {
            return sound;
        }
    }

    @Breaks("replacesAllThatAreCurrentAndNoOthers")
    static class StopsAtTheFirstOutdatedRecord extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public void replaceAll(List<MessageRecord> records) {
                    for (MessageRecord record : records) {
                        if (sound.replace(record) == null) {
                            return;
                        }
                    }
                }
            };
        }
    }

    @Breaks("replacesAllOfManyRecords")
    static class ReplacesAHundred extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public void replaceAll(List<MessageRecord> records) {
                    super.replaceAll(records.subList(0, Math.min(100, records.size())));
                }
            };
        }
    }

    @Breaks("keepsOneMessageIdInTwoCorrelationsApart")
    static class IgnoresTheCorrelation extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(key -> key.messageId().length() == 36 ? new RecordKey("", key.messageId()) : key);
        }
    }

    @Breaks("keepsTheMessagesOfOneCorrelationApart")
    static class IgnoresTheMessageId extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(key -> key.messageId().length() == 36 ? new RecordKey(key.correlationId(), "") : key);
        }
    }

    @Breaks("doesNotIgnoreCase")
    static class IgnoresCase extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(
                    key -> new RecordKey(key.correlationId(), key.messageId().toLowerCase(Locale.ROOT)));
        }
    }

    @Breaks("doesNotIgnorePunctuation")
    static class IgnoresPunctuationAtTheEnd extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(
                    key -> new RecordKey(key.correlationId(), key.messageId().replaceAll("[.:_-]$", "")));
        }
    }

    @Breaks("doesNotTakeDigitsForNumbers")
    static class TakesDigitsForNumbers extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(
                    key -> new RecordKey(key.correlationId(), key.messageId().replaceAll("^0+(?=[0-9]+$)", "")));
        }
    }

    @Breaks("doesNotJoinCorrelationAndMessageIdAmbiguously")
    static class JoinsWithADot extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(key -> new RecordKey("", key.correlationId() + "." + key.messageId()));
        }
    }

    @Breaks("keepsTheLongestKeysApart")
    static class CutsMessageIds extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return confusing(key -> new RecordKey(
                    key.correlationId(),
                    key.messageId().substring(0, Math.min(128, key.messageId().length()))));
        }
    }

    @Breaks("doesNotShareRecordsWithOtherNodes")
    static class LeaksIntoOtherNodes extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return sound;
        }

        @Override
        protected MessageStore otherNode() {
            return new ForwardingStore(otherSound) {
                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    MessageRecord leaked = LeaksIntoOtherNodes.this.sound.find(key);
                    return leaked == null ? super.find(key) : leaked;
                }
            };
        }
    }

    /** Lets two threads that deal with one record meet, if there are two. */
    private static final class Meeting {

        private final Thread test = Thread.currentThread();
        private final Map<RecordKey, CountDownLatch> present = new ConcurrentHashMap<>();

        void meet(RecordKey key) {
            if (Thread.currentThread() == test) {
                return;
            }
            CountDownLatch both = present.computeIfAbsent(key, any -> new CountDownLatch(2));
            both.countDown();
            try {
                if (!both.await(10, TimeUnit.SECONDS)) {
                    throw new AssertionError("nobody came");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
