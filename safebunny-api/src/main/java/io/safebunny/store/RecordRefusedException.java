// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.store.record.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * The store refuses this one record permanently: nothing was written, a repeat would fail too, and other records are not
 * affected. The message is set aside as {@code not-storable}.
 */
public class RecordRefusedException extends SafeBunnyException {

    /**
     * @param key key of the record
     * @param why why the store refuses it and what to do, as sentences; never content of the record or a driver's message
     */
    public RecordRefusedException(RecordKey key, String why, @Nullable Throwable cause) {
        this(
                "SB-4004",
                "The store refuses the record of message %s for good: %s".formatted(key.messageId(), why),
                cause);
    }

    RecordRefusedException(String code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
