// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies with the same type, reason and exception. Immutable.
 *
 * @param exception class name; empty if the copies have none
 * @param copies how many there are
 * @param replayable how many of them a replay moves, according to their verdicts; of several copies of a message it moves one
 * @param first when the first of them was set aside; {@code null} if none of them says when
 * @param last when the last of them was set aside; {@code null} if none of them says when
 * @param examples message ids of up to three of them
 */
public record PoisonGroup(
        String type,
        String reason,
        String exception,
        int copies,
        int replayable,
        @Nullable Instant first,
        @Nullable Instant last,
        List<String> examples) {

    public PoisonGroup {
        examples = List.copyOf(examples);
    }
}
