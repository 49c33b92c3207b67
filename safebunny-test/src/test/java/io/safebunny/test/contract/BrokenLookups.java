// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One fault each against {@link CompletedRules} and {@link ExpiryRules}. */
final class BrokenLookups {

    private BrokenLookups() {}

    @Breaks("findsCompletedRecordsOnly")
    static class FindsReleasedToo extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Remembering(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    return Stream.concat(
                                    super.findCompleted(unchangedFor, limit).stream(),
                                    all(record -> record.state() == RecordState.RELEASED).stream())
                            .toList();
                }
            };
        }
    }

    @Breaks("findsCompletedRecordsOfItsNodeOnly")
    static class FindsThoseOfOtherNodes extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    return Stream.of(sound, otherSound)
                            .flatMap(node -> node.findCompleted(unchangedFor, limit).stream())
                            .toList();
                }
            };
        }
    }

    @Breaks("findsCompletedRecordsWithTheirPublications")
    static class FindsThemWithoutSteps extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    return super.findCompleted(unchangedFor, limit).stream()
                            .map(record -> record.withSteps(Map.of()))
                            .toList();
                }
            };
        }
    }

    @Breaks("findsCompletedRecordsOnlyWhenTheyDidNotChangeForSoLong")
    static class FindsYoungOnes extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    return super.findCompleted(Duration.ZERO, limit);
                }
            };
        }
    }

    @Breaks("findsTheOldestCompletedRecordsFirstAndNoMoreThanTheLimit")
    static class IgnoresTheLimit extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    return super.findCompleted(unchangedFor, Integer.MAX_VALUE);
                }
            };
        }
    }

    @Breaks("findsTheOldestCompletedRecordsFirstAndNoMoreThanTheLimit")
    static class FindsTheYoungestFirst extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
                    List<MessageRecord> found = new ArrayList<>(super.findCompleted(unchangedFor, limit));
                    Collections.reverse(found);
                    return found;
                }
            };
        }
    }

    @Breaks("forgetsFinalRecordsAfterTheRetention")
    static class KeepsPoisonedOnes extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Remembering(sound) {
                @Override
                public int removeExpired(int limit) {
                    List<MessageRecord> poisoned = all(record -> record.state() == RecordState.POISONED);
                    int removed = super.removeExpired(limit);
                    poisoned.forEach(sound::create);
                    return removed;
                }
            };
        }
    }

    @Breaks("keepsFinalRecordsForTheRetention")
    static class ForgetsAtOnce extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Remembering(sound) {
                @Override
                public int removeExpired(int limit) {
                    int removed = super.removeExpired(limit);
                    if (removed == 0) {
                        lose(record -> record.state().isFinal() && record.version() < 4);
                    }
                    return removed;
                }
            };
        }
    }

    @Breaks("neverForgetsARecordThatIsNotFinal")
    static class ForgetsReleasedOnes extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Remembering(sound) {
                @Override
                public int removeExpired(int limit) {
                    lose(record -> record.state() == RecordState.RELEASED);
                    return super.removeExpired(limit);
                }
            };
        }
    }

    @Breaks("removesNoMoreThanTheLimit")
    static class RemovesAllAtOnce extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public int removeExpired(int limit) {
                    return super.removeExpired(Integer.MAX_VALUE);
                }
            };
        }
    }

    @Breaks("removesNothingOfOtherNodes")
    static class RemovesThoseOfOtherNodes extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public int removeExpired(int limit) {
                    otherSound.removeExpired(limit);
                    return super.removeExpired(limit);
                }
            };
        }
    }

    @Breaks("countsTheRetentionFromTheLastChange")
    static class CountsFromTheFirstEnd extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new Remembering(sound) {
                @Override
                public int removeExpired(int limit) {
                    lose(record -> record.state().isFinal() && record.version() >= 4);
                    return super.removeExpired(limit);
                }
            };
        }
    }

    @Breaks("bringsNothingBackByALateReplace")
    static class BringsBackWhatWasForgotten extends BrokenStoreContract {
        @Override
        MessageStore broken() {
            return new ForwardingStore(sound) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    return record.version() > 2 && sound.find(record.key()) == null
                            ? sound.create(record)
                            : super.replace(record);
                }
            };
        }
    }
}
