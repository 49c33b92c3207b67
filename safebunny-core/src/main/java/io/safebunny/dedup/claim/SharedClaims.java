// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.handling.Handling;
import io.safebunny.middleware.Next;
import io.safebunny.store.record.MessageRecord;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The claims of several messages in one transaction. Optimistic: it can only end with messages that are handled. Every other message, and
 * all of them if the transaction fails, is left as if it had not been touched, to be handled on its own. Used by one thread: {@link #run}
 * each, then {@link #commit}, and {@link #close} in any case.
 */
public interface SharedClaims extends AutoCloseable {

    /** Whether this message is claimed, so that it can be {@linkplain #run run}. */
    boolean isClaimed(Handling handling);

    /**
     * Runs the handler of a claimed message once.
     *
     * @return {@code null} if it is to be committed; otherwise why it leaves, and what it wrote is undone
     */
    @Nullable
    Throwable run(Handling handling, Next handler);

    /** Whether no further message can be run, and none will be committed. */
    boolean isBroken();

    /** What one of the handlers did that needs a transaction of its own, the end of a sentence; {@code null} for nothing so far. */
    @Nullable
    String unshareable();

    /** @return the records of the handled messages as committed; empty if none is, as far as is known */
    Map<Handling, MessageRecord> commit();

    /** Rolls back what is not committed, and gives back the store's permit. */
    @Override
    void close();
}
