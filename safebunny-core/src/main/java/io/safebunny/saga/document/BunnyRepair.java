// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.document.SagaHistory.Refused;
import io.safebunny.saga.document.SagaHistory.Repaired;
import org.jspecify.annotations.Nullable;

/**
 * An operator's repair of a saga.
 *
 * @param step for {@link Action#SKIP}
 * @param expectedVersion for {@link Action#PATCH}
 * @param state JSON, for {@link Action#PATCH}
 * @param reason for the history
 */
public record BunnyRepair(
        String saga,
        Action action,
        @Nullable String step,
        long expectedVersion,
        @Nullable String state,
        String reason) {

    /** Entry in the saga's history if the repair was done. */
    public String done() {
        return new Repaired(action, reason).words();
    }

    /** Entry in the saga's history if the saga refused the repair. */
    public String refused(String why) {
        return new Refused(this, why).words();
    }

    /** The outcome of this repair according to an entry in the history; {@code null} if the entry is about something else. */
    public @Nullable Outcome outcome(String entry) {
        if (entry.equals(done())) {
            return new Outcome(null);
        }
        String refused = refused("");
        return entry.startsWith(refused) ? new Outcome(entry.substring(refused.length())) : null;
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
