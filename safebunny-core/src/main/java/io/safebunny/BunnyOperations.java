// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What an operator does to a node. A type that is paused here is not handled until the pause is over or somebody resumes it; no
 * probe, no success and no {@link BunnyCircuitBreaker#close} ends the pause. Thread-safe; its methods block for up to a second, or
 * for as long as the store takes to answer.
 */
public interface BunnyOperations {

    /** Who pauses or resumes. */
    enum Scope {
        /** All instances of the node, those that start later too. */
        NODE,
        /** This instance only, until it stops. */
        INSTANCE
    }

    /**
     * An instance, as far as it is known.
     *
     * @param applied whether it did what was asked, and said so within a second
     */
    record Instance(String id, boolean applied) {}

    /**
     * What came of an operation.
     *
     * @param operation its id, which is also in the log
     * @param instances this one first
     * @param stored whether instances that start later, or could not be reached, learn of it from the store
     * @param note what is missing to that, and what keeps a resumed type from being handled, for humans; empty when nothing does
     */
    record Result(String operation, List<Instance> instances, boolean stored, String note) {

        public Result {
            instances = List.copyOf(instances);
        }
    }

    /**
     * A paused type, as this instance knows it.
     *
     * @param since by the clock of the instance that was asked, as {@code until}
     * @param by who asked for it
     */
    record Pause(String type, Instant since, Instant until, Scope scope, String reason, String by) {}

    /** What this instance is called in {@link Instance#id}. */
    String instance();

    /**
     * Stops handling the type. Messages already being handled continue; the others wait in their queue.
     *
     * @param type message type name, as in {@link BunnyCircuitBreaker#states}
     * @param duration 1 ms to 365 days, from now on; replaces what is left of an earlier pause
     * @param reason for the log and for other operators, 1 to 500 characters
     * @param by who asks for it, 1 to 100 characters
     * @throws MisuseException SB-5001 when an argument is out of range, SB-5002 when no handler takes the type, or the node has
     *     not started
     */
    Result pause(String type, Duration duration, Scope scope, String reason, String by);

    /**
     * Ends the pause at once, without probing. Instances that started without consuming ({@code safebunny.listener.auto-startup=false})
     * begin to consume the type. A breaker that is open for another reason stays open, and {@link Result#note} says so.
     *
     * @throws MisuseException as {@link #pause}
     */
    Result resume(String type, Scope scope, String reason, String by);

    /** What is paused here, by type. */
    List<Pause> paused();
}
