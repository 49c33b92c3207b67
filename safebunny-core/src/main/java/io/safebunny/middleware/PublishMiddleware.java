// SPDX-License-Identifier: Apache-2.0
package io.safebunny.middleware;

/**
 * A user's step in the publishing of messages; register it as a bean, order it with {@code @Order}. The action of its
 * pipeline identifies, serializes and sends the message (inside a handler: collects it). Returning without {@code next}
 * means the message is dropped; the caller sees it in what {@code publish} returns.
 */
@FunctionalInterface
public interface PublishMiddleware extends Middleware<PublishContext> {

    default Group group() {
        return Group.BEFORE;
    }
}
