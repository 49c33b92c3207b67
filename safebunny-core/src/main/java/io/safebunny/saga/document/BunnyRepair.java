// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.document.SagaHistory.Refused;
import io.safebunny.saga.document.SagaHistory.Repaired;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator's repair of a saga.
 *
 * @param step for {@link Action#SKIP}
 * @param expectedVersion for {@link Action#PATCH}
 * @param state JSON, for {@link Action#PATCH}
 * @param reason for the history
 * @param by who asked for it, for the history, too; {@code null} if that is not told
 */
public record BunnyRepair(
        String saga,
        Action action,
        @Nullable String step,
        long expectedVersion,
        @Nullable String state,
        String reason,
        @Nullable String by) {

    /** Entry in the saga's history if the repair was done. */
    public String done() {
        return new Repaired(action, reason).words();
    }

    /** Entry in the saga's history if the saga refused the repair. */
    public String refused(String why) {
        return new Refused(this, why).words();
    }

    /**
     * The outcome of a repair according to the history of its saga; {@code null} if that does not tell of it: yet, or any more.
     *
     * @param id of the repair
     * @param reason that was given for it, which is left out of a refusal
     */
    public static @Nullable Outcome outcome(List<Event> history, String id, String reason) {
        return history.stream()
                .filter(event -> id.equals(event.repair()))
                .findFirst()
                .map(event -> new Outcome(
                        SagaHistory.Happening.of(event) instanceof Refused refused ? refused.why(reason) : null))
                .orElse(null);
    }

    /** @param refusal why the saga refused the repair; {@code null} if it was done */
    public record Outcome(@Nullable String refusal) {}

    /** See {@link io.safebunny.saga.Sagas}. */
    public enum Action {
        RETRY,
        SKIP,
        FAIL,
        RESUME,
        PATCH
    }
}
