// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import org.jspecify.annotations.Nullable;

/**
 * What a person wants of a saga.
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

    /** What the history says when it was done. */
    public String done() {
        return "%s: %s".formatted(action, reason);
    }

    /** What the history says when the saga refused it. */
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
