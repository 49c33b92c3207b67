// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Result;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.autoconfigure.actuate.http.Asked;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A requested pause of a type, or the end of one. Invalid parameters are refused with SB-5001. Immutable.
 *
 * @param duration {@code null} to end the pause
 */
record PauseAction(@Nullable Duration duration, Scope scope, String reason) {

    static PauseAction asked(
            @Nullable String state, @Nullable String duration, @Nullable String scope, @Nullable String reason) {
        boolean pauses = "open".equals(Asked.oneOf("state", state, List.of("open", "closed")));
        boolean node = "node".equals(Asked.oneOf("scope", scope == null ? "node" : scope, List.of("node", "instance")));
        if (!pauses) {
            Asked.absent("duration", duration, "it is for the state open only");
        }
        return new PauseAction(
                pauses ? Asked.duration(duration) : null,
                node ? Scope.NODE : Scope.INSTANCE,
                reason == null ? "" : reason);
    }

    Result carryOut(BunnyOperations operations, String type, String by) {
        return duration == null
                ? operations.resume(type, scope, reason, by)
                : operations.pause(type, duration, scope, reason, by);
    }
}
