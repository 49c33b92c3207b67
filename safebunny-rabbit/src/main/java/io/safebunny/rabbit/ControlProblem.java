// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.rabbit.connection.Channels;
import io.safebunny.time.Timeline;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.OfNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Why instances cannot reach each other. Immutable.
 *
 * @param words the broker's, for humans
 * @param refused whether a permission is missing, so that trying again soon does not help
 * @param until time of the next try, by the monotonic clock
 */
record ControlProblem(String words, boolean refused, long until) {

    static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    /** Delay after a refusal. Long, because the broker logs an error for each. */
    private static final Duration AFTER_REFUSAL = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(ControlProblem.class);

    /** What does not work then. */
    enum Consequence {
        NO_HINTS(
                Level.WARN,
                "This instance and the others of its node cannot tell each other of paused types: {}. With a store they still read it every few seconds. Grant what docs/permissions.md lists"),
        NO_QUESTIONS(
                Level.INFO,
                "This instance and those of other nodes cannot ask each other questions: {}. Nothing else depends on it. Grant what docs/permissions.md lists");

        private final Level level;
        private final String text;

        Consequence(Level level, String text) {
            this.level = level;
            this.text = text;
        }

        static Consequence at(ControlAddress address) {
            return address instanceof OfNode ? NO_HINTS : NO_QUESTIONS;
        }
    }

    /**
     * Logs it, unless it is as before.
     *
     * @param before the previous problem of the same thing; {@code null} for none
     */
    static ControlProblem of(
            Consequence consequence,
            @Nullable ControlProblem before,
            boolean refused,
            Throwable failure,
            Timeline timeline) {
        String words = failure instanceof ConfigurationException
                ? String.valueOf(failure.getMessage())
                : Channels.explain(failure);
        if (before == null || !before.words.equals(words)) {
            LOG.atLevel(refused ? consequence.level : Level.DEBUG).log(consequence.text, words);
        }
        return new ControlProblem(
                words, refused, timeline.nanoTime() + (refused ? AFTER_REFUSAL : AFTER_FAILURE).toNanos());
    }

    boolean isDue(Timeline timeline) {
        return timeline.nanoTime() - until >= 0;
    }

    Duration left(Timeline timeline) {
        return Duration.ofNanos(Math.max(0, until - timeline.nanoTime()));
    }

    /** Whether the user may not use the exchange at all, whatever the routing key. */
    boolean concernsTheExchange() {
        return refused && words.contains("access to exchange");
    }
}
