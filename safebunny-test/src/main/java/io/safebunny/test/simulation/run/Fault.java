// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.run;

/** What can go wrong at a {@link Point}. */
public enum Fault {
    /** The process ends there, and a new one begins a second later. */
    CRASH,
    /** The call fails: before it, the request is lost; after it, the response. */
    FAIL,
    /** Other ready tasks run first. */
    INTERRUPT,
    /** The connection to the broker is lost and restored: the broker redelivers unsettled messages while their handlers continue. */
    DISCONNECT,
    /** The whole process pauses for longer than a lease, and the broker considers it dead. */
    STALL,
    /** The broker delivers the message once more. */
    REPEAT,
    /** The message is delivered a second later than it could be. */
    LATE,
    /** The wall clock of the process is an hour ahead from now on; its monotonic clock is right. */
    SKEW,
    /**
     * The broker confirms the message and then loses it, as when delay queues are purged. Only for wake-up messages, which the store can
     * replace.
     */
    LOSE
}
