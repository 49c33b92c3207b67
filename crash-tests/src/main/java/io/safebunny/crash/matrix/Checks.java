// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crash.matrix;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Compares what a scenario left behind with what must be true. */
abstract class Checks {

    private static final Duration QUIET = Duration.ofSeconds(45);
    private static final Duration EMPTY = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofMillis(500);

    private final Stage stage;
    private final List<String> problems = new ArrayList<>();

    Checks(Stage stage) {
        this.stage = stage;
    }

    /** Whether what must come of it is there. */
    abstract boolean hasEnded();

    /** Why it has not ended. */
    abstract String describe();

    /** What happened that is right only where it is declared; empty when nothing of it did. */
    abstract String declared();

    /** What was left behind, but for queues; each problem is one {@link #require}. */
    abstract void check();

    /** Waits until nothing happens any more; a scenario that does not end is a problem. */
    void awaitQuiet() {
        try {
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .during(IDLE) // between two queues a delayed message is in none
                    .atMost(QUIET)
                    .until(() -> stage.ledger().idleMillis() >= IDLE.toMillis() && hasEnded() && nothingIsOnItsWay());
        } catch (ConditionTimeoutException e) {
            problems.add("it did not end within %d s: %s".formatted(QUIET.toSeconds(), describe()));
        }
    }

    /** A copy that comes later than the end of the run would find its queue deleted. */
    private boolean nothingIsOnItsWay() {
        return stage.transitQueues().stream().allMatch(queue -> stage.messages(queue) == 0);
    }

    /** To be called when all processes have ended. */
    List<String> problems() {
        stage.neverReached().forEach(point -> problems.add("never reached: " + point));
        check();
        checkEmpty();
        return List.copyOf(problems);
    }

    @SuppressWarnings("AnnotateFormatMethod") // for which another library would be needed
    void require(boolean condition, String otherwise, @Nullable Object... arguments) {
        if (!condition) {
            problems.add(otherwise.formatted(arguments));
        }
    }

    private void checkEmpty() {
        for (String queue : stage.transitQueues()) {
            try {
                Awaitility.await()
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(50))
                        .atMost(EMPTY)
                        .until(() -> stage.messages(queue) == 0);
            } catch (ConditionTimeoutException e) {
                problems.add(
                        "%d messages left in %s".formatted(stage.drain(queue).size(), queue));
            }
        }
    }
}
