// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * An application's step in the publishing of messages; register it as a bean, order it with {@code @Order}. It surrounds the
 * action that gives the message its ids, serializes it and sends it (inside a handler: collects it). Returning without calling
 * {@code next} drops the message, which the result of {@code publish} shows.
 *
 * <p>In the after group it is called once with the {@linkplain PublishContext#outcome() outcome} of each publication that reached
 * the action: on the publisher's thread if the outcome is known when {@code publish} returns, otherwise later on another thread.
 * It is called in the process that published, even if another one sends the message in the end; if that process dies first, it is
 * not called.
 */
@FunctionalInterface
public interface PublishMiddleware extends Middleware<PublishContext> {

    default Group group() {
        return Group.BEFORE;
    }
}
