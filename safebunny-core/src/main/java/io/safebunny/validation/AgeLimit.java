// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.failure.policy.FailedAttempt.Age;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.node.Node;
import io.safebunny.time.Timeline;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The maximum age of a message. The records of older messages have expired, so nobody knows whether they were handled. Thread-safe.
 *
 * @param retention how long handled messages are remembered; {@code null} if they are not remembered; then there is no limit
 */
public record AgeLimit(Timeline timeline, @Nullable Duration retention) {

    /** The limit of a node. */
    public static AgeLimit of(Node node) {
        return new AgeLimit(
                node.timeline(), node.store() == null ? null : node.options().retention());
    }

    /** @throws InvalidMessageException {@code too-old} */
    void require(Envelope message) {
        Age age = of(message);
        if (age.isExceededIn(Duration.ZERO)) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_OLD,
                    "Message too old [age=%s, retention=%s]: whether it was handled before is no longer known. Check its effects, then publish it anew. Raising safebunny.dedup.retention brings back nothing that is forgotten; it helps messages that are handled from then on."
                            .formatted(age.now(), age.limit()));
        }
    }

    public Age of(Envelope message) {
        return retention == null || message.sentAt() == 0
                ? Age.UNLIMITED
                : new Age(Duration.ofMillis(timeline.now().toEpochMilli() - message.sentAt()), retention);
    }
}
