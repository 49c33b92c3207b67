// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import io.safebunny.spi.store.MessageRecord;
import io.safebunny.spi.store.MessageStore;
import io.safebunny.spi.store.RecordKey;
import io.safebunny.spi.store.UnreadableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * What is stored, for one look at many copies. Once the store has not answered it is not asked again: each copy would wait for as long as
 * its time limit is. Confined to one thread.
 */
final class StoredRecords {

    private final MessageStore store;
    private @Nullable RuntimeException failure;

    StoredRecords(MessageStore store) {
        this.store = store;
    }

    /** @throws RuntimeException it cannot be told */
    @Nullable
    MessageRecord find(RecordKey key) {
        if (failure != null) {
            throw failure;
        }
        try {
            return store.find(key);
        } catch (UnreadableRecordException e) { // says nothing about the others
            throw e;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }
}
