// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

/** What can go wrong at a {@link Point}. */
public enum Fault {
    /** The process ends there, and a new one begins a second later. */
    CRASH,
    /** The call fails: its request got lost if it was before it, its answer if it was after it. */
    FAIL,
    /** Whatever else is ready goes on first. */
    INTERRUPT,
    /** The connection to the broker is lost and comes back: the broker delivers again what is unsettled, while its handlers go on. */
    DISCONNECT,
    /** The whole process stands still for longer than a lease, and the broker takes it for dead. */
    STALL,
    /** The broker delivers the message once more. */
    REPEAT,
    /** The message is delivered a second later than it could be. */
    LATE,
    /** The wall clock of the process is an hour ahead from now on; its monotonic clock is right. */
    SKEW,
    /** The broker confirms the message and then loses it, as when delay queues are purged. Alarms only, since the store knows them, too. */
    LOSE
}
