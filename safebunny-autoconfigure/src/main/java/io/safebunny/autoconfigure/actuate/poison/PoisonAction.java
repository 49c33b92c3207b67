// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.autoconfigure.actuate.http.Asked;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What can be done with poison messages. */
enum PoisonAction {
    /** Moves messages back to the queues of their handlers. */
    REPLAY,
    /** Moves messages to the archive. */
    DISCARD,
    /** Moves messages back from the archive to the poison queue. */
    RESTORE,
    /** Gives one copy another body. */
    EDIT;

    static final List<PoisonAction> OF_MANY = List.of(REPLAY, DISCARD, RESTORE);
    static final List<PoisonAction> OF_ONE = List.of(values());

    static PoisonAction of(@Nullable String action, List<PoisonAction> possible) {
        List<String> words = possible.stream().map(PoisonAction::word).toList();
        return possible.get(words.indexOf(Asked.oneOf("action", action, words)));
    }

    /** Refuses parameters that this action ignores. */
    void requireApplicable(@Nullable String body, @Nullable String dryRun, @Nullable String forced) {
        if (this != EDIT) {
            Asked.absent("body", body == null ? null : "given", "it is for the action edit only");
        } else {
            Asked.absent("dryRun", dryRun, "an edit has no dry run");
        }
        if (this != REPLAY) {
            Asked.absent("forced", forced, "it is for the action replay only");
        }
    }

    /** Whether this one is asked for by its word; asks for none if there is none. */
    boolean isAsked(@Nullable String action) {
        return word().equals(action);
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
