// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.message.Envelope;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The record with the steps of a message, where it is not the message's own: where it is, and what it says. Pure. */
public final class StoredSteps {

    /** Fingerprint of steps stored by earlier versions, which kept none. */
    private static final Fingerprint UNKNOWN = new Fingerprint(Fingerprint.CHECKSUMS, 0, 0);

    private StoredSteps() {}

    /** Key of the companion record with the steps of a message. */
    public static RecordKey key(RecordKey message) {
        return message.companionApart("steps");
    }

    /** Earlier versions kept them among the records of messages, where they expire. */
    public static RecordKey earlierKey(RecordKey message) {
        return message.companion("steps");
    }

    /** The stored steps of a message, wherever they are; {@code null} if there are none. */
    public static @Nullable MessageRecord find(Function<RecordKey, @Nullable MessageRecord> stored, RecordKey message) {
        MessageRecord steps = stored.apply(key(message));
        return steps != null ? steps : stored.apply(earlierKey(message));
    }

    /** Whether it does not say of which message it is, as in earlier versions. */
    public static boolean isUnsigned(MessageRecord steps) {
        return steps.fingerprint().equals(UNKNOWN);
    }

    public static boolean isOf(Envelope message, MessageRecord steps) {
        return isUnsigned(steps) || steps.fingerprint().isOf(message);
    }

    /**
     * The next write of the steps of a message that is set aside: they are kept as long as its record.
     *
     * @param steps as stored; {@code null} if there are none
     * @return {@code null} when there is nothing to write
     */
    static @Nullable MessageRecord poisoned(Envelope message, @Nullable MessageRecord steps) {
        return steps == null || !isOf(message, steps) ? null : steps.next(RecordState.POISONED);
    }
}
