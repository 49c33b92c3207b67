// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story;

/**
 * Tells what the nodes on the broker know of a message or a saga. Only reads, and shows neither a body nor the state of a saga. Thread-safe;
 * blocks for two seconds at most if a node knows the id as a correlation id, and for four and a half otherwise, unless this node's own store
 * takes longer to answer or to fail.
 */
public interface BunnyStory {

    /**
     * The story of an id. What nodes know may change while it is read: a story is no snapshot. All other nodes are asked over the broker,
     * and those that do not answer are named, with why that may be.
     *
     * @param id a correlation id, a message id, or the idempotency key of a message that another node has published outside its handlers; 1
     *     to 1024 characters
     * @return never fails because something does not answer: {@link NodeStory#looked} says what could not be looked at, and {@link
     *     Story#asked} who has not answered
     * @throws io.safebunny.failure.MisuseException SB-5001 if the id is too long, empty, or has half of a character
     */
    Story of(String id);
}
