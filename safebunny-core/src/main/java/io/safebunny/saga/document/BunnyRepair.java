// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

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

    /** Entry in the history when it was done. */
    public String done() {
        return "%s: %s".formatted(action, reason);
    }

    /** Entry in the history when the saga refused it. */
    public String refused(String why) {
        return "refused %s (%s): %s".formatted(action, reason, why);
    }

    /** See {@link io.safebunny.saga.Sagas}. */
    public enum Action {
        RETRY,
        SKIP,
        FAIL,
        RESUME,
        PATCH
    }
}
