// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.spi.store.JointWrite;
import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Does what another store does, until a subclass breaks it. */
class ForwardingStore implements MessageStore {

    final MessageStore sound;

    ForwardingStore(MessageStore sound) {
        this.sound = sound;
    }

    @Override
    public MessageRecord create(MessageRecord record) {
        return sound.create(record);
    }

    @Override
    public @Nullable MessageRecord replace(MessageRecord record) {
        return sound.replace(record);
    }

    @Override
    public void replaceAll(List<MessageRecord> records) {
        sound.replaceAll(records);
    }

    @Override
    public JointWrite writeTogether(List<MessageRecord> records) {
        return sound.writeTogether(records);
    }

    @Override
    public @Nullable MessageRecord find(RecordKey key) {
        return sound.find(key);
    }

    @Override
    public List<MessageRecord> findCompleted(Duration unchangedFor, int limit) {
        return sound.findCompleted(unchangedFor, limit);
    }

    @Override
    public int removeExpired(int limit) {
        return sound.removeExpired(limit);
    }
}
