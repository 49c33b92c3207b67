// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operations;

import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An order to pause a type, or to resume it. Immutable.
 *
 * @param at when the order was given, by the clock of the instance that received the request
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
     * The rest of the pause, for an instance that has just read the order. Computed by the instance's own clock, but at most the whole
     * pause, and at least the whole pause minus {@code sinceRead}, because the order cannot be older than that. So instances that read
     * regularly do not need synchronized clocks.
     *
     * @param sinceRead time since the last read, when the store did not have the order yet; the longest possible duration if unknown
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

    /** @throws IllegalArgumentException if something is missing or out of range */
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
