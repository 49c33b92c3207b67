// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.failure.MisuseException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Lets an operator pause and resume message types of a node. A paused type is not handled until the pause is over or somebody
 * resumes it; neither successful probes nor {@link BunnyCircuitBreaker#close} end the pause. Thread-safe; methods block for up to
 * a second, or until the store answers.
 */
public interface BunnyOperations {

    /** Which instances pause or resume. */
    enum Scope {
        /** All instances of the node, including those that start later. */
        NODE,
        /** This instance only, until it stops. */
        INSTANCE
    }

    /**
     * An instance that took part in an operation.
     *
     * @param applied whether it confirmed within a second that it applied the operation
     */
    record Instance(String id, boolean applied) {}

    /**
     * Result of an operation.
     *
     * @param operation id of the operation, as in the log
     * @param instances the instances that were reached, this one first
     * @param stored whether the store keeps it for instances that start later or could not be reached
     * @param note for humans: what could not be done, and what still keeps a resumed type from being handled; empty if nothing
     */
    record Result(String operation, List<Instance> instances, boolean stored, String note) {

        public Result {
            instances = List.copyOf(instances);
        }
    }

    /**
     * A paused type, as this instance knows it.
     *
     * @param since start of the pause; like {@code until}, by the clock of the instance that took the request
     * @param by who asked for it
     */
    record Pause(String type, Instant since, Instant until, Scope scope, String reason, String by) {}

    /** This instance's {@link Instance#id}. */
    String instance();

    /**
     * Stops handling the type. Messages already being handled continue; the others wait in their queue.
     *
     * @param type message type name, as in {@link BunnyCircuitBreaker#states}
     * @param duration 1 ms to 365 days, from now on; replaces what is left of an earlier pause
     * @param reason shown in the log and to other operators, 1 to 500 characters
     * @param by who asks for it, 1 to 100 characters
     * @throws MisuseException SB-5001 when an argument is out of range, SB-5002 when no handler takes the type, or the node has
     *     not started
     */
    Result pause(String type, Duration duration, Scope scope, String reason, String by);

    /**
     * Ends the pause at once, without probing. Instances that started without consuming ({@code
     * safebunny.listener.auto-startup=false}) start consuming the type. A breaker that is open for another reason stays open,
     * which {@link Result#note} reports.
     *
     * @throws MisuseException as {@link #pause}
     */
    Result resume(String type, Scope scope, String reason, String by);

    /** Types paused on this instance, sorted by type. */
    List<Pause> paused();
}
