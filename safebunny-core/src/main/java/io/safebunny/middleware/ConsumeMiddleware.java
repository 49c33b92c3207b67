// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * A user's step in the handling of messages; register it as a bean, order it with {@code @Order}. The action of its pipeline
 * is the handler with its in-memory retries. Whatever it does, the delivery is settled exactly once: returning without
 * {@code next} means the message is done, throwing means it failed.
 */
@FunctionalInterface
public interface ConsumeMiddleware extends Middleware<ConsumeContext> {

    default Group group() {
        return Group.BEFORE;
    }
}
