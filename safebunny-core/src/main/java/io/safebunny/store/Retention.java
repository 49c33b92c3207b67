// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidProperty;
import java.time.Duration;

/**
 * How long a store keeps records in a final state, each time from its last change. Immutable.
 *
 * @param handled of messages that were handled or undone, and of companions; {@code safebunny.dedup.retention}
 * @param poisoned of messages that were set aside, and of what their replay needs: at least as long as the others, because their
 *     copies wait for somebody to replay them; {@code safebunny.dedup.poison-retention}
 */
public record Retention(Duration handled, Duration poisoned) {

    /** Of poisoned records, unless another one is set: 90 days. */
    public static final Duration DEFAULT_POISONED = Duration.ofDays(90);

    /** @throws ConfigurationException SB-1301 when poisoned records are not kept as long as the others */
    public Retention {
        InvalidProperty.unlessAtLeastThatOf(
                "safebunny.dedup.retention", handled, "safebunny.dedup.poison-retention", poisoned);
    }

    /** Poisoned records are kept for 90 days, or as long as the others if that is longer. */
    public static Retention of(Duration handled) {
        return new Retention(handled, handled.compareTo(DEFAULT_POISONED) > 0 ? handled : DEFAULT_POISONED);
    }

    /** How long a record in this final state is kept. */
    public Duration of(RecordState state) {
        return state == RecordState.POISONED ? poisoned : handled;
    }
}
