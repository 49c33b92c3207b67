// SPDX-License-Identifier: Apache-2.0
package io.safebunny.operating;

import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * To pause a type, or to resume it. Immutable.
 *
 * @param sequence of two orders about one type the one with the higher number counts, whichever arrives first
 * @param at by the clock of the instance that was asked
 * @param duration of the pause; zero resumes. An instance that is told counts it from then on, so that clocks play no part
 */
record Order(String operation, String type, long sequence, Instant at, Duration duration, String reason, String by) {

    boolean isPause() {
        return !duration.isZero();
    }

    Instant until() {
        return at.plus(duration);
    }

    /**
     * What is left of the pause for whoever reads the order from the store: by its own clock, and never longer than the whole, however
     * far its clock is behind.
     */
    Duration left(Instant now) {
        Duration left = Duration.between(now, until());
        return left.isNegative() ? Duration.ZERO : left.compareTo(duration) > 0 ? duration : left;
    }

    Pause pause(Scope scope) {
        return new Pause(type, at, until(), scope, reason, by);
    }

    void writeTo(ObjectNode json) {
        json.put("operation", operation)
                .put("type", type)
                .put("sequence", sequence)
                .put("at", at.toEpochMilli())
                .put("millis", duration.toMillis())
                .put("reason", reason)
                .put("by", by);
    }

    /** @throws IllegalArgumentException when something is missing or out of range */
    static Order read(JsonNode json) {
        long millis = json.path("millis").asLong(-1);
        if (millis < 0 || millis > Limits.LONGEST_PAUSE.toMillis()) {
            throw new IllegalArgumentException("millis");
        }
        return new Order(
                Limits.text(json, "operation", Limits.LONGEST_ID),
                Limits.text(json, "type", Limits.LONGEST_ID),
                json.path("sequence").asLong(0),
                Instant.ofEpochMilli(json.path("at").asLong(0)),
                Duration.ofMillis(millis),
                Limits.text(json, "reason", Limits.LONGEST_REASON),
                Limits.text(json, "by", Limits.LONGEST_BY));
    }
}
