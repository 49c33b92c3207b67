// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.SafeBunnyException;
import io.safebunny.store.record.RecordKey;
import org.jspecify.annotations.Nullable;

/** A record that this version of SafeBunny cannot read. It is left unchanged, and its message comes back later. */
public final class UnreadableRecordException extends SafeBunnyException {

    /** @param found the part that could not be read; never content of a message */
    public UnreadableRecordException(RecordKey key, String found, @Nullable Throwable cause) {
        super(
                "SB-4003",
                "The record of message %s cannot be read (%s): it was probably written by a newer version of SafeBunny. Make sure that all instances are upgraded."
                        .formatted(key.messageId(), found),
                cause);
    }
}
