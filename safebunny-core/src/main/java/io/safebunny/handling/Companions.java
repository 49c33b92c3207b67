// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import org.jspecify.annotations.Nullable;

/** Reads what changes together with the record of the message being handled. Used only by the thread that handles it. */
@FunctionalInterface
public interface Companions {

    /**
     * The stored companion, {@code null} if there is none. Where the store shares a transaction with the handler, it belongs to
     * that transaction from now on.
     *
     * @throws io.safebunny.recovery.NotHandledException the store did not answer
     */
    @Nullable
    MessageRecord companion(RecordKey key);
}
