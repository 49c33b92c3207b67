// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import io.safebunny.MessageContext;
import io.safebunny.handling.Membership;
import io.safebunny.message.Envelope;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds out to which saga a message of a queue belongs. Thread-safe. */
@FunctionalInterface
public interface Correlation {

    /** @throws io.safebunny.message.InvalidMessageException if the payload names no saga */
    Membership of(Envelope message, Object payload);

    /**
     * Why its saga would ignore the message now and ever after, as an operator reads it; {@code null} if it may not.
     *
     * @param stored finds the record of a saga
     */
    default @Nullable String ignores(
            Envelope message, Object payload, Function<RecordKey, @Nullable MessageRecord> stored) {
        return null;
    }

    /**
     * Whether the message being handled on this thread, which has expired, is no loss, because its saga has ended and would ignore it anyway.
     * It is ignored then.
     */
    default boolean ignoresLate(MessageContext expired) {
        return false;
    }
}
