// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.failure.MisuseException;
import io.safebunny.recovery.QuarantinePolicy;
import java.time.Duration;

/**
 * Settings of the exactly-once protocol.
 *
 * @param lease how long a claim is respected unless it is renewed, which happens while the handler runs. After a crash the
 *     messages in work wait this long. It is also the age at which the sweeper sends publications that a crash left behind or the
 *     broker refused, the maximum duration of its rounds, and the pause between them
 * @param takeoverLimit how many claims in a row may fall silent before the message is poisoned with reason {@code delivery-limit}
 * @param retention how long the store remembers handled messages: whether an older step was handled is not known to its undo
 */
public record DedupOptions(Duration lease, int takeoverLimit, Duration retention) {

    public DedupOptions {
        if (lease.compareTo(Duration.ofMillis(1)) < 0 || takeoverLimit < 1 || retention.isNegative()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid settings [lease=%s, takeoverLimit=%s, retention=%s]: the lease must be at least 1 ms, the limit at least 1, the retention not negative."
                            .formatted(lease, takeoverLimit, retention));
        }
    }

    /** A message handled alone waits for the others, and they for it, no longer than a lease. */
    QuarantinePolicy quarantine() {
        return new QuarantinePolicy(takeoverLimit, lease);
    }
}
