// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.dedup.claim.Claim.Written;
import io.safebunny.handling.Handling;
import io.safebunny.middleware.Next;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The claims of several messages that are handled together. Optimistic: it can only end with messages that are handled. Every other
 * message, and all of them if what they share fails, is left as if it had not been touched, to be handled on its own. Used by one thread:
 * {@link #run} what is claimed, then {@link #commit}, and {@link #close} in any case.
 */
public interface SharedClaims extends AutoCloseable {

    /** Whether this message is claimed, so that it can be {@linkplain #run run}. */
    boolean isClaimed(Handling handling);

    /**
     * Runs the handler once, for these claimed messages: one, or all of a batch.
     *
     * @return {@code null} if they are to be committed; otherwise why they leave, and what was written is undone
     */
    @Nullable
    Throwable run(List<Handling> together, Next handler);

    /**
     * Why no further message can be run, and none of those that have succeeded will be committed, or not all: what they share has failed.
     * {@code null} if it has not.
     */
    @Nullable
    Throwable failure();

    /** What one of the handlers did that needs a transaction of its own, the end of a sentence; {@code null} for nothing so far. */
    default @Nullable String unshareable() {
        return null;
    }

    /** @return the handled messages, as committed; empty if none is, as far as is known */
    Map<Handling, Written> commit();

    /** Undoes what is not committed, and gives back the store's permit. */
    @Override
    void close();
}
