// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stores with faults that the runs of this package must find. */
public final class FaultyStores {

    private FaultyStores() {}

    /** Does not compare the version of what is written with a message's record: the last one wins. */
    public static MessageStore withoutEtag(MessageStore store) {
        return new ForwardingMessageStore(store) {
            @Override
            public JointWrite writeTogether(List<MessageRecord> records) {
                List<MessageRecord> fresh = records.stream()
                        .map(record -> record.key().isShared() ? onTopOf(find(record.key()), record) : record)
                        .toList();
                return super.writeTogether(fresh);
            }
        };
    }

    private static MessageRecord onTopOf(@Nullable MessageRecord stored, MessageRecord record) {
        return stored == null
                ? record
                : record.withVersion(stored.version() + 1).withEtag(stored.etag());
    }

    /** Writes companions first, and the message's record by itself. */
    public static MessageStore inTwoWrites(MessageStore store) {
        return new ForwardingMessageStore(store) {
            @Override
            public JointWrite writeTogether(List<MessageRecord> records) {
                List<MessageRecord> written = new ArrayList<>();
                for (int i = records.size() - 1; i >= 0; i--) {
                    MessageRecord record = records.get(i);
                    JointWrite one = super.writeTogether(List.of(record));
                    if (!(one instanceof JointWrite.Written done)) {
                        return one;
                    }
                    written.add(0, done.records().get(0));
                }
                return new JointWrite.Written(written);
            }
        };
    }

    /** Keeps one saga of an id: writes of others get lost. */
    public static MessageStore withOneSagaOfAnId(MessageStore store) {
        Map<String, String> kept = new HashMap<>();
        return new ForwardingMessageStore(store) {
            @Override
            public JointWrite writeTogether(List<MessageRecord> records) {
                JointWrite result = super.writeTogether(
                        records.stream().filter(record -> isKept(record)).toList());
                return result instanceof JointWrite.Written ? new JointWrite.Written(records) : result;
            }

            private boolean isKept(MessageRecord record) {
                Listing listing = record.listing();
                return listing == null
                        || kept.computeIfAbsent(record.key().correlationId(), id -> listing.kind())
                                .equals(listing.kind());
            }
        };
    }

    /** Forgets that a step was barred. */
    public static MessageStore withoutFence(MessageStore store) {
        return new ForwardingMessageStore(store) {
            @Override
            public MessageRecord create(MessageRecord record) {
                return isBar(record) ? record : super.create(record);
            }

            @Override
            public @Nullable MessageRecord replace(MessageRecord record) {
                return isBar(record) ? record : super.replace(record);
            }
        };
    }

    private static boolean isBar(MessageRecord record) {
        return record.state() == RecordState.UNDONE;
    }
}
