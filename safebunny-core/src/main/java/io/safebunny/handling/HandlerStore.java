// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import org.jspecify.annotations.Nullable;

/**
 * What the handler of one message keeps in the store: results of steps, as JSON, and companions of the message's record. Used only by the
 * thread that handles the message.
 *
 * <p>If it throws a {@link io.safebunny.failure.policy.NotHandledException} or {@link io.safebunny.message.InvalidMessageException} for a step,
 * the handling ends with that, even if the handler catches it. Any other exception counts as the handler's own failure.
 */
public interface HandlerStore {

    /**
     * Called before the step runs; throws when the step must not run.
     *
     * @return {@code null} when the step has not been completed
     */
    @Nullable
    String find(String name);

    /** Returns once the result is durable. */
    void store(String name, String json);

    /**
     * The stored companion, {@code null} if there is none. Where the store shares a transaction with the handler, it belongs to
     * that transaction from now on.
     *
     * @throws io.safebunny.failure.policy.NotHandledException the store did not answer
     * @throws io.safebunny.failure.MisuseException SB-5005 when handled messages are not remembered
     */
    @Nullable
    MessageRecord companion(RecordKey key);

    /**
     * Called before each attempt of this delivery except the first.
     *
     * @throws RuntimeException no further attempt is possible, and the handling ends with this exception
     */
    default void beginAgain() {}
}
