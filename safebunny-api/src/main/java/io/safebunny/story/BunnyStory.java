// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

/**
 * Tells what this node knows of a message or a saga. Only reads, and shows neither a body nor the state of a saga. Thread-safe; blocks for
 * as long as the store and the outbox take, and some seconds at most for each of them.
 */
public interface BunnyStory {

    /**
     * The story of an id. What the node knows may change while it is read: a story is no snapshot.
     *
     * @param id a correlation id, a message id, or the idempotency key of a message that another node has published outside its handlers; 1
     *     to 1024 characters
     * @return never fails because something does not answer: {@link NodeStory#looked} says what could not be looked at
     * @throws io.safebunny.failure.MisuseException SB-5001 if the id is too long, empty, or has half of a character
     */
    Story of(String id);
}
