// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * An application's step in the handling of messages; register it as a bean, order it with {@code @Order}. Whatever it does, the
 * delivery is settled exactly once.
 *
 * <p>In the before group it surrounds the handler with its in-memory retries: returning without calling {@code next} means the
 * message is done, throwing means it failed.
 *
 * <p>In the after group it is called once per message when the outcome is final. {@linkplain ConsumeContext#failure() Completed}: after the
 * completion has been stored and its transaction committed (without a store: after the handler's publications have been confirmed). Given
 * up: after the poison copy has been confirmed or the broker has been told to move the message. A message that will come back has no
 * outcome yet, and duplicates are not reported again. The handling is over by then: {@code publisher} and {@code once} are refused, and
 * whatever is published or written here is not part of the handling. The after group runs before the acknowledgement; if the process dies
 * meanwhile, it is not run again, unless there is no store.
 */
@FunctionalInterface
public interface ConsumeMiddleware extends Middleware<ConsumeContext> {

    default Group group() {
        return Group.BEFORE;
    }
}
