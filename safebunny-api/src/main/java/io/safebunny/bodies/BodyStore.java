// SPDX-License-Identifier: Apache-2.0
package io.safebunny.bodies;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * SPI: keeps bodies that are too large for the broker, for those who publish and those who handle their messages. Register it as a bean of
 * all of them. Implementations must be thread-safe and should pass {@code BodyStoreContract} of {@code safebunny-test}.
 *
 * <p>A body is never changed: another one has another digest, and so another key. So it does no harm to put one twice, at the same time or
 * later, or to replace it by itself.
 *
 * <p>Readers check what they get, so a store need not: neither length nor digest, nor whether a body is whole. It must never take a key for
 * anything but a name: no path, no pattern, no address.
 *
 * <p>{@link BodyStoreUnavailableException}, {@link IOException} and every exception that is not listed mean that the store is away for
 * now: messages wait, and cost no attempt.
 */
public interface BodyStore {

    /** Its name in references: {@code [a-z][a-z0-9-]*}, at most 32 characters. The same on all nodes that share it. */
    String name();

    /**
     * Stores a body, durably before it returns. If it is there, it stays, and counts as put now. Nobody may see a part of it. In the
     * caller's transaction, if the store has part in it: then it is there when that is committed.
     */
    void put(BodyReference reference, byte[] body) throws IOException;

    /**
     * The body from its beginning; {@code null} if it is not there. The caller closes it, and may do so before its end. A repeat gives the
     * same.
     */
    @Nullable
    InputStream open(BodyReference reference) throws IOException;

    /**
     * Deletes bodies that were put before this instant; never one that was put since, also while this runs. Other instances may do the same
     * at the same time.
     *
     * @param most how many
     * @return how many were deleted; fewer than {@code most} if there are no more
     */
    int deleteOlderThan(Instant limit, int most) throws IOException;
}
