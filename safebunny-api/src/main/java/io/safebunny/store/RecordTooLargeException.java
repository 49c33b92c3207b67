// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.store.record.RecordKey;

/**
 * The publications and step results of one message do not fit into one record of the store. Stores notice that before they write. If
 * the record has a {@link io.safebunny.store.record.Trail trail}, it is written once more without; otherwise its message is set aside as
 * {@code too-large}.
 */
public final class RecordTooLargeException extends RecordRefusedException {

    /**
     * @param size size of the record in bytes
     * @param limit the store's limit in bytes
     */
    public RecordTooLargeException(RecordKey key, long size, long limit) {
        super(
                "SB-4002",
                "The record of message %s is too large [size=%s bytes, limit=%s]: its publications and step results are stored in it. Publish references instead of content, and keep step results small."
                        .formatted(key.messageId(), size, limit),
                null);
    }
}
