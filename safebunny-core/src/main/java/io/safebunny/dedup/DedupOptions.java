// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.failure.MisuseException;
import io.safebunny.quarantine.QuarantinePolicy;
import java.time.Duration;

/**
 * Settings of the exactly-once protocol.
 *
 * @param lease how long a claim that does not change is respected; renewed while a handler runs. After a crash its messages
 *     wait this long. Also after how long publications are sent that a crash left behind or the broker refused, how long a
 *     round of the sweeper lasts at most, and how long after its end the next one begins
 * @param takeoverLimit claims in a row that may fall silent before the message is set aside as {@code delivery-limit}
 */
public record DedupOptions(Duration lease, int takeoverLimit) {

    public DedupOptions {
        if (lease.compareTo(Duration.ofMillis(1)) < 0 || takeoverLimit < 1) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid settings [lease=%s, takeoverLimit=%d]: the lease must be at least 1 ms, the limit at least 1."
                            .formatted(lease, takeoverLimit));
        }
    }

    /** Others wait for a message that is handled alone, and it for them, at most for a lease. */
    QuarantinePolicy quarantine() {
        return new QuarantinePolicy(takeoverLimit, lease);
    }
}
