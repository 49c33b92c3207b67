// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * A user's step in the publishing of messages; register it as a bean, order it with {@code @Order}. The action of its
 * pipeline identifies, serializes and sends the message (inside a handler: collects it). Returning without {@code next}
 * means the message is dropped; the caller sees it in what {@code publish} returns.
 *
 * <p>In the after group it is told once {@linkplain PublishContext#outcome() what became} of each publication that reached the action: on
 * the publisher's thread if that is known when {@code publish} returns, otherwise later, on another one. Whoever made the publication tells,
 * not whoever sends it at last, and what is still to be told when the process dies is not told.
 */
@FunctionalInterface
public interface PublishMiddleware extends Middleware<PublishContext> {

    default Group group() {
        return Group.BEFORE;
    }
}
