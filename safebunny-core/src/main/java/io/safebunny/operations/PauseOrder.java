// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * To pause a type, or to resume it. Immutable.
 *
 * @param at by the clock of the instance that was asked
 * @param duration of the pause; zero resumes
 */
record PauseOrder(String operation, String type, Instant at, Duration duration, String reason, String by) {

    boolean isPause() {
        return !duration.isZero();
    }

    Instant until() {
        return at.plus(duration);
    }

    /**
     * What is left of the pause for whoever has just read the order: by its own clock, but never more than the whole, and never less than
     * the whole without the time in which it cannot have been given yet. So instances that read regularly need no equal clocks.
     *
     * @param sinceRead how long ago the order was certainly not there; the longest possible duration if that is not known
     */
    Duration left(Instant now, Duration sinceRead) {
        Duration byClock = Duration.between(now, until());
        Duration least = sinceRead.compareTo(duration) < 0 ? duration.minus(sinceRead) : Duration.ZERO;
        return byClock.compareTo(least) < 0 ? least : byClock.compareTo(duration) > 0 ? duration : byClock;
    }

    Pause pause(Scope scope) {
        return new Pause(type, at, until(), scope, reason, by);
    }

    void writeTo(ObjectNode json) {
        json.put("operation", operation)
                .put("type", type)
                .put("at", at.toEpochMilli())
                .put("millis", duration.toMillis())
                .put("reason", reason)
                .put("by", by);
    }

    /** @throws IllegalArgumentException when something is missing or out of range */
    static PauseOrder read(JsonNode json) {
        long millis = json.path("millis").asLong(-1);
        if (millis < 0 || millis > PauseLimits.LONGEST_PAUSE.toMillis()) {
            throw new IllegalArgumentException("millis");
        }
        return new PauseOrder(
                PauseLimits.text(json, "operation", PauseLimits.LONGEST_ID),
                PauseLimits.text(json, "type", PauseLimits.LONGEST_ID),
                Instant.ofEpochMilli(json.path("at").asLong(0)),
                Duration.ofMillis(millis),
                PauseLimits.text(json, "reason", PauseLimits.LONGEST_REASON),
                PauseLimits.text(json, "by", PauseLimits.LONGEST_BY));
    }
}
