// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.matrix;

import io.safebunny.proof.matrix.stage.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Checks what a scenario left behind. */
abstract class Checks {

    private static final Duration QUIET = Duration.ofSeconds(45);
    private static final Duration EMPTY = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofMillis(500);
    /** A process that is halted between sending a message back and acknowledging it leaves it there twice. */
    private static final int COPIES = 2;

    private final Stage stage;
    private final List<String> problems = new ArrayList<>();

    Checks(Stage stage) {
        this.stage = stage;
    }

    /** Whether the expected results are there. */
    abstract boolean hasEnded();

    /** Why it has not ended. */
    abstract String describe();

    /** Deviations that are right only where they are declared; empty if there were none. */
    abstract String declared();

    /** Checks everything but the queues; each condition is one {@link #require}. */
    abstract void check();

    /** Waits until nothing happens any more; not ending is a problem too. */
    void awaitQuiet() {
        Duration idle = idle();
        try {
            Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .during(idle) // on its way between two queues a delayed message is in neither
                    .atMost(QUIET)
                    .until(() -> stage.ledger().idleMillis() >= idle.toMillis() && hasEnded() && nothingIsOnItsWay());
        } catch (ConditionTimeoutException e) {
            problems.add("it did not end within %s s: %s".formatted(QUIET.toSeconds(), describe()));
        }
    }

    /** A message whose record cannot be written is in no queue for as long as a lease, and only a record in a database tells. */
    private Duration idle() {
        return stage.isDurable() ? IDLE : IDLE.plus(stage.address().kind().lease());
    }

    /** A copy that arrives after the end of the run would find its queue deleted. */
    private boolean nothingIsOnItsWay() {
        return stage.queues().transit().stream()
                        .allMatch(queue -> stage.queues().messages(queue) == 0)
                && stage.queues().rungs().stream()
                                .mapToInt(stage.queues()::messages)
                                .sum()
                        <= COPIES * waiting().size();
    }

    /** Types of the messages that go on waiting for longer than a run lasts, as they should. */
    List<String> waiting() {
        return List.of();
    }

    /** The problems found. Call it when all processes have ended. */
    List<String> problems() {
        stage.neverReached().forEach(point -> problems.add("never reached: " + point));
        check();
        checkEmpty();
        return List.copyOf(problems);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need another library
    void require(boolean condition, String otherwise, @Nullable Object... arguments) {
        if (!condition) {
            problems.add(otherwise.formatted(arguments));
        }
    }

    private void checkEmpty() {
        List<String> waited = stage.queues().rungs().stream()
                .filter(rung -> stage.queues().messages(rung) > 0) // a rung is declared when it is first used
                .flatMap(rung -> stage.queues().drain(rung).stream())
                .map(message -> String.valueOf(message.getProps().getType()))
                .filter(type -> !waiting().contains(type))
                .toList();
        require(waited.isEmpty(), "messages wait: %s", waited);
        for (String queue : stage.queues().transit()) {
            if (waiting().stream().anyMatch(type -> queue.endsWith("-" + type))) {
                continue;
            }
            try {
                Awaitility.await()
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(50))
                        .atMost(EMPTY)
                        .until(() -> stage.queues().messages(queue) == 0);
            } catch (ConditionTimeoutException e) {
                problems.add("%s messages left in %s"
                        .formatted(stage.queues().drain(queue).size(), queue));
            }
        }
        stage.queues().unrouted().forEach(message -> problems.add("not routed: " + message));
    }
}
