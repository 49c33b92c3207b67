// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.RecordTooLargeException;
import io.safebunny.spi.store.StoreUnavailableException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One fault each against {@link JointWriteRules}. */
final class BrokenJointWrites {

    private BrokenJointWrites() {}

    /** Writes some of them although one did not fit, as a server does that takes a batch for a list. */
    private abstract static class Partial extends ForwardingStore {

        Partial(MessageStore sound) {
            super(sound);
        }

        /** @param stored what is there in place of the version before */
        abstract boolean overlooks(MessageRecord overtaken, @Nullable MessageRecord stored);

        @Override
        public JointWrite writeTogether(List<MessageRecord> records) {
            JointWrite answer = super.writeTogether(records);
            if (answer instanceof JointWrite.Overtaken overtaken) {
                MessageRecord lost = records.stream()
                        .filter(record -> record.key().equals(overtaken.key()))
                        .findFirst()
                        .orElseThrow();
                if (overlooks(lost, sound.find(lost.key()))) {
                    writeEach(records);
                }
            }
            return answer;
        }

        void writeEach(List<MessageRecord> records) {
            records.forEach(record -> super.writeTogether(List.of(record)));
        }
    }

    @Breaks("writesARecordAndItsCompanionsTogether")
    static class AnswersInAnotherOrder extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    JointWrite answer = super.writeTogether(records);
                    if (answer instanceof JointWrite.Overtaken || records.get(0).version() == 1) {
                        return answer;
                    }
                    List<MessageRecord> sorted = new ArrayList<>(records);
                    sorted.sort(JointWrite.LOCK_ORDER);
                    return new JointWrite.Written(sorted);
                }
            };
        }
    }

    @Breaks("changesNothingWhenOneIsOutdatedWhereverItStands")
    static class WritesTheOthersWhenOneIsOutdated extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Partial(sound) {
                @Override
                boolean overlooks(MessageRecord overtaken, @Nullable MessageRecord stored) {
                    return overtaken.version() > 1
                            && stored != null
                            && stored.owner().equals("another");
                }
            };
        }
    }

    @Breaks("changesNothingWhenOneIsOutdatedWhereverItStands")
    static class FencesTheFirstOnly extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    List<MessageRecord> refreshed = new ArrayList<>();
                    for (MessageRecord record : records) {
                        MessageRecord stored = sound.find(record.key());
                        refreshed.add(
                                stored != null
                                                && !refreshed.isEmpty()
                                                && stored.owner().equals("another")
                                        ? record.withVersion(stored.version() + 1)
                                        : record);
                    }
                    return super.writeTogether(refreshed);
                }
            };
        }
    }

    @Breaks("changesNothingWhenACompanionToBeCreatedIsThere")
    static class WritesTheOthersWhenOneIsThere extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Partial(sound) {
                @Override
                boolean overlooks(MessageRecord overtaken, @Nullable MessageRecord stored) {
                    return overtaken.version() == 1;
                }
            };
        }
    }

    @Breaks("changesNothingWhenACompanionToBeReplacedIsGone")
    static class WritesTheOthersWhenOneIsGone extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Partial(sound) {
                @Override
                boolean overlooks(MessageRecord overtaken, @Nullable MessageRecord stored) {
                    return overtaken.version() > 1 && stored == null;
                }
            };
        }
    }

    @Breaks("letsOneOfManyConcurrentJointWritesWin")
    static class LooksBeforeItWrites extends BrokenStoreContract {

        private final Thread test = Thread.currentThread();
        private final Map<RecordKey, CountDownLatch> present = new ConcurrentHashMap<>();

        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    MessageRecord last = records.get(records.size() - 1);
                    MessageRecord stored = sound.find(last.key());
                    if (Thread.currentThread() != test) {
                        meet(last.key());
                    }
                    JointWrite answer = super.writeTogether(records);
                    return stored != null
                                    && stored.version() == last.version() - 1
                                    && records.get(0).version() == 1
                            ? new JointWrite.Written(records)
                            : answer;
                }
            };
        }

        private void meet(RecordKey key) {
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

    @Breaks("isOvertakenByItselfWhenItIsRepeated")
    static class FailsWhenItIsRepeated extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    for (MessageRecord record : records) {
                        MessageRecord stored = sound.find(record.key());
                        if (record.version() > 1 && stored != null && stored.isSameWriteAs(record)) {
                            throw new StoreUnavailableException("a duplicate", null, null);
                        }
                    }
                    return super.writeTogether(records);
                }
            };
        }
    }

    @Breaks("namesTheCompanionThatIsTooLargeAndChangesNothing")
    static class NoticesTheSizeTooLate extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    try {
                        return super.writeTogether(records);
                    } catch (RecordTooLargeException e) {
                        super.writeTogether(records.subList(0, records.size() - 1));
                        throw e;
                    }
                }
            };
        }
    }

    @Breaks("namesTheCompanionThatIsTooLargeAndChangesNothing")
    static class NamesTheFirstInstead extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    try {
                        return super.writeTogether(records);
                    } catch (RecordTooLargeException e) {
                        throw new RecordTooLargeException(
                                records.get(0).key(), LimitedStore.LIMIT + 1, LimitedStore.LIMIT);
                    }
                }
            };
        }
    }

    @Breaks("holdsCompanionsOfAQuarterOfAMegabyteBesideALargeRecord")
    static class HoldsAMegabyteInAll extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    long size = records.stream().mapToLong(LimitedStore::size).sum();
                    if (size > 1 << 20 && size < LimitedStore.LIMIT) {
                        throw new RecordTooLargeException(records.get(0).key(), size, 1 << 20);
                    }
                    return super.writeTogether(records);
                }
            };
        }
    }

    @Breaks("forgetsFinalCompanionsAfterTheRetentionAndOthersNever")
    static class ForgetsAllCompanions extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                private boolean forgot;

                @Override
                public int removeExpired(int limit) {
                    forgot = true;
                    return super.removeExpired(limit);
                }

                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    return forgot && key.isCompanion() ? null : super.find(key);
                }
            };
        }
    }

    @Breaks("forgetsFinalCompanionsAfterTheRetentionAndOthersNever")
    static class KeepsCompanionsForGood extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                private final List<MessageRecord> kept = Collections.synchronizedList(new ArrayList<>());

                @Override
                public JointWrite writeTogether(List<MessageRecord> records) {
                    JointWrite answer = super.writeTogether(records);
                    if (answer instanceof JointWrite.Written) {
                        kept.addAll(records);
                    }
                    return answer;
                }

                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    MessageRecord found = super.find(key);
                    return found != null || !key.isCompanion()
                            ? found
                            : kept.stream()
                                    .filter(record -> record.key().equals(key))
                                    .findFirst()
                                    .orElse(null);
                }
            };
        }
    }
}
