// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * A user's step in the handling of messages; register it as a bean, order it with {@code @Order}. Whatever it does, the delivery is
 * settled exactly once.
 *
 * <p>In the before group the action of its pipeline is the handler with its in-memory retries: returning without {@code next} means the
 * message is done, throwing means it failed.
 *
 * <p>In the after group it is told once how the message ended: {@linkplain ConsumeContext#failure() completed}, which is after the completion
 * was stored and its transaction committed (without a store: after what the handler published was confirmed), or given up, which is after the
 * poison copy was confirmed or the broker was left to move the message. A message that comes back has not ended, and a duplicate or a further
 * copy of one that has is not told again. The handling is over by then: {@code publisher} and {@code once} are refused, and what is published
 * or written here is no part of it. It runs before the acknowledgement, and is not repeated if the process dies in it, unless there is no store.
 */
@FunctionalInterface
public interface ConsumeMiddleware extends Middleware<ConsumeContext> {

    default Group group() {
        return Group.BEFORE;
    }
}
