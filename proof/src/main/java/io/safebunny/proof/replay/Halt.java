// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.replay;

/** Where in the replay of a message a process stops, to be killed there. */
enum Halt {
    /** Nowhere. */
    NEVER,
    /** The copy is taken, nothing else is done. */
    TAKEN,
    /** The message was given to the client, which has not sent it when the process ends. */
    UNSENT,
    /** The broker has the message and has confirmed it; the replay has not learned of it. */
    UNCONFIRMED,
    /** The replay knows that the broker has the message; the copy is still taken. */
    CONFIRMED,
    /** The copy is acknowledged; nobody counted it yet. */
    ACKNOWLEDGED
}
